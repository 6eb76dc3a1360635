// What the page shows is what the runner says, read anew after every change. It keeps nothing but what is
// selected, and everything that somebody wrote is put on the page as text.

const PEOPLE = ['anna', 'ben.runs', 'chioma_o', 'lucía', 'yuki'].map((username, index) => (
  { id: `910000000000000${index + 1}`, username }));
const SOMEONE_ELSE = 'someone else';
const FIRST_MEDIA = '18000000000000001';
const COMMENTS_SHOWN = 80;
const PEOPLE_SHOWN = 30;
const NO_ACCOUNT = 'There is no account yet. Start the runner with --campaigns and a file that names one.';
const TRIGGERS_SHOWN = 50;
const DAY = 24 * 3600_000;
const LEGS = {
  dm: 'Direct message', public_reply: 'Public reply', reveal: 'Reveal', follow_prompt: 'Request to follow',
  acknowledgement: 'Acknowledgement', follow_up: 'Follow-up',
};
const SAYS = { opening: 'Opening message', follow_prompt: 'Request to follow' };
const STATES = { done: 'done', waiting: 'waiting', failed: 'failed', unsure: 'not certain' };

const at = (id) => document.getElementById(id);
const chosen = { account: null, media: null, person: PEOPLE[0], trigger: null, everything: false };
let world = null;
let deliveries = [];
let brought = [];
let story = null;

// ---- Reading ----

async function ask(path, body) {
  const options = body && {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  };
  const answer = await fetch(path, options);
  const text = await answer.text();
  let value = null;
  try { value = JSON.parse(text); } catch { /* what is no JSON is told as it is */ }
  if (!answer.ok) throw new Error(value?.error ?? (text.trim() || `the runner answered ${answer.status}`));
  return value;
}

let reading = false;
let stale = false;

/** Reads everything and shows it. A change that comes meanwhile is read right after. */
async function refresh() {
  stale = true;
  if (reading) return;
  reading = true;
  while (stale) {
    stale = false;
    try {
      [world, deliveries, brought] =
        await Promise.all(['world', 'deliveries', 'links'].map((path) => ask(`/_local/${path}`)));
      clock = { now: Date.parse(world.now), read: performance.now() };
      choose();
      const trigger = chosen.trigger;
      story = trigger ? await ask(`/_local/story?trigger=${encodeURIComponent(trigger)}`) : null;
      if (trigger !== chosen.trigger) { stale = true; continue; }
      reachable(true);
      show();
    } catch (error) {
      reachable(false, error);
    }
    await new Promise((resume) => setTimeout(resume, 150));
  }
  reading = false;
}

/** What is selected must exist. On arrival that is the newest comment, so that a restart shows where one was. */
function choose() {
  const accounts = world.accounts;
  if (!accounts.some((account) => account.id === chosen.account)) chosen.account = accounts[0]?.id ?? null;
  const medias = mediaOf(chosen.account);
  if (!medias.includes(chosen.media)) chosen.media = medias.at(-1);
  if (chosen.trigger === null) {
    const newest = commentsHere().findLast((comment) => !comment.ours);
    if (newest) select(newest);
  }
}

function mediaOf(account) {
  const campaigns = world.accounts.find((known) => known.id === account)?.campaigns ?? [];
  const bound = campaigns.map((campaign) => campaign.post).filter((post) => post !== 'any' && post !== 'next_reel');
  const posts = world.posts.filter((post) => post.account === account).map((post) => post.media);
  const all = [...new Set([...bound, ...posts])];
  return all.length ? all : [FIRST_MEDIA];
}

function commentsHere() {
  const here = (post) => post.account === chosen.account && post.media === chosen.media;
  return world.posts.find(here)?.comments ?? [];
}

function select(comment) {
  chosen.trigger = `comment:${chosen.account}:${comment.id}`;
  chosen.person = { id: comment.from, username: comment.username ?? comment.from };
}

const conversation = () => world.conversations
  .find((found) => found.account === chosen.account && found.user === chosen.person?.id);

const follows = () => world.followers
  .find((found) => found.account === chosen.account && found.user === chosen.person?.id);

/** Who can be played: the demo people, the chosen one, and who wrote last. */
function people() {
  const all = new Map([...PEOPLE, chosen.person].filter(Boolean).map((person) => [person.id, person]));
  for (const { from, username, ours } of commentsHere().toReversed()) {
    if (all.size >= PEOPLE_SHOWN) break;
    if (!ours && !all.has(from)) all.set(from, { id: from, username: username ?? from });
  }
  return [...all.values()];
}

/** The same name is the same person, also after a restart: FNV-1a. */
function person(name) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(name)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return { id: `92${String(hash % 10n ** 14n).padStart(14, '0')}`, username: name };
}

// ---- Elements ----

/** An element. Children that are text stay text. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== ''));
  return element;
}

/** Makes the children of `parent` those of `items`. What stays the same stays the same element. */
function sync(parent, items, build) {
  const wanted = new Map(items.map((item) => [item.key, item]));
  const kept = new Map();
  for (const child of [...parent.children]) {
    const item = wanted.get(child.dataset.key);
    if (item && child.dataset.print === print(item)) kept.set(item.key, child);
    else if (item && child.contains(document.activeElement)) kept.set(item.key, swap(child, item, build));
    else child.remove();
  }
  let place = parent.firstChild;
  for (const item of items) {
    const child = kept.get(item.key) ?? mark(build(item), item);
    if (child === place) place = place.nextSibling;
    else parent.insertBefore(child, place);
  }
}

const print = (item) => JSON.stringify(item);

function mark(element, item) {
  element.dataset.key = item.key;
  element.dataset.print = print(item);
  return element;
}

/** A new element in the place of one that has the focus keeps it. */
function swap(old, item, build) {
  const fresh = mark(build(item), item);
  const index = [...old.querySelectorAll('button, a')].indexOf(document.activeElement);
  old.replaceWith(fresh);
  fresh.querySelectorAll('button, a')[index]?.focus({ preventScroll: true });
  return fresh;
}

function put(id, text) {
  const element = at(id);
  if (element.textContent !== text) element.textContent = text;
  element.hidden = text === '';
}

function avatar(name) {
  const tint = [...name].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 6;
  return make('span', { class: `avatar tint-${tint}`, 'aria-hidden': 'true' }, [...name][0] ?? '?');
}

function when(text) {
  const date = new Date(text);
  const shown = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
  if (Math.abs(date - now()) > 20 * 3600_000) Object.assign(shown, { day: 'numeric', month: 'short' });
  return make('time', { datetime: text, title: date.toLocaleString() }, date.toLocaleString([], shown));
}

/** Text with its addresses as links. */
function linked(text) {
  const parts = [];
  let rest = 0;
  for (const found of text.matchAll(/https?:\/\/[^\s<>"]+/g)) {
    const address = found[0].replace(/[.,!?;:)\]}'’”]+$/u, '');
    parts.push(text.slice(rest, found.index));
    parts.push(make('a', { href: address, target: '_blank', rel: 'noopener noreferrer' }, address));
    rest = found.index + address.length;
  }
  parts.push(text.slice(rest));
  return parts;
}

function chip(status) {
  const kind = status.split('_')[0].toLowerCase();
  return make('span', { class: `chip ${kind}` }, status.replaceAll('_', ' '));
}

function options(select, entries, current) {
  sync(select, entries.map(([value, label]) => ({ key: value, label })),
    ({ key, label }) => make('option', { value: key }, label));
  if (select.value !== current) select.value = current;
}

/** Keeps the end in sight, unless somebody looks at what was before. */
function follow(scroll, change) {
  const ended = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
  const before = scroll.scrollHeight;
  change();
  if (ended && scroll.scrollHeight !== before) scroll.scrollTop = scroll.scrollHeight;
}

// ---- Showing ----

function show() {
  const account = world.accounts.find((known) => known.id === chosen.account);
  follow(at('post-scroll'), () => showPost(account));
  showInbox();
  showLedger();
}

function showPost(account) {
  const name = account?.username ?? 'no account yet';
  options(at('account'), world.accounts.map((known) => [known.id, `@${known.username}`]), chosen.account);
  at('account-pick').hidden = world.accounts.length < 2;
  const medias = mediaOf(chosen.account);
  options(at('media'), medias.map((media) => [media, media]), chosen.media);
  at('media-pick').hidden = medias.length < 2;
  put('account-name', name);
  for (const id of ['account-avatar', 'sender-avatar']) sync(at(id), [{ key: name }], () => avatar(name));
  put('caption-name', name);
  put('sender', name);
  showCampaigns(account?.campaigns ?? []);
  showPeople();
  showComments();
  showOutcome();
}

const listens = (campaign) => campaign.active && ['any', chosen.media].includes(campaign.post);

function showCampaigns(campaigns) {
  const words = campaigns.filter(listens).flatMap((campaign) => campaign.keywords);
  const open = campaigns.some((campaign) => listens(campaign) && campaign.match === 'any_word');
  put('caption', words.length ? `Comment “${words[0]}” and find it in your messages.`
    : open ? 'Comment anything and look into your messages.' : 'No campaign listens to this post.');
  const write = words.length ? `Type ${words[0]}` : 'Write something';
  put('no-comments', commentsHere().length ? '' : chosen.account
    ? `Nobody has commented yet. ${write} below and press Comment.` : NO_ACCOUNT);
  const shown = campaigns.map((campaign) => ({ key: campaign.id, listens: listens(campaign), ...campaign }));
  sync(at('campaigns'), shown, (campaign) => make('p', {},
    make('span', { class: 'soft' }, campaign.name),
    ...(campaign.listens ? campaign.keywords.slice(0, 8).map(keyword) : [make('span', { class: 'chip' }, silence(campaign))]),
    campaign.listens && campaign.keywords.length > 8 ? make('span', { class: 'soft' }, `+${campaign.keywords.length - 8}`) : null,
    campaign.listens && campaign.match === 'any_word' ? make('span', { class: 'chip' }, 'any comment') : null,
    ...habits(campaign).map((habit) => make('span', { class: 'chip' }, habit))));
}

function habits(campaign) {
  return [
    campaign.opening && 'asks first', campaign.follow_gate && 'followers only', campaign.dm_trigger && 'by message too',
    campaign.repeat === 'once_per_person' && 'once per person', campaign.follow_up && 'follows up',
  ].filter(Boolean);
}

function keyword(word) {
  const button = make('button', { type: 'button', class: 'quiet', 'aria-label': `Write ${word}` }, word);
  button.addEventListener('click', () => { at('text').value = word; at('text').focus(); });
  return button;
}

function silence(campaign) {
  if (campaign.post === 'next_reel') return 'waits for the next reel';
  return campaign.active ? 'another post' : 'paused';
}

function showPeople() {
  options(at('person'), [...people().map(({ id, username }) => [id, username]), [SOMEONE_ELSE, 'Someone else…']],
    chosen.person?.id ?? SOMEONE_ELSE);
  at('name').hidden = at('person').value !== SOMEONE_ELSE;
}

function showComments() {
  const all = commentsHere();
  const below = new Map(all.map((comment) => [comment.id, []]));
  const tops = all.filter((comment) => !below.get(comment.parent)?.push(comment));
  const shown = chosen.everything ? tops : tops.slice(-COMMENTS_SHOWN);
  put('earlier', tops.length > shown.length ? `Show ${tops.length - shown.length} earlier comments` : '');
  const thread = shown.flatMap(function under(comment) { return [comment, ...below.get(comment.id).flatMap(under)]; });
  const direct = new Map(deliveries.filter((row) => row.leg === 'dm').map((row) => [row.trigger, row.status]).reverse());
  sync(at('comments'), thread.map((comment) => {
    const trigger = `comment:${chosen.account}:${comment.id}`;
    return { key: comment.id, ...comment, status: direct.get(trigger), pressed: trigger === chosen.trigger };
  }), showComment);
}

function showComment(comment) {
  const name = comment.username ?? comment.from;
  const fresh = now() - Date.parse(comment.at) < 3000;
  const inside = [
    avatar(name),
    make('span', {}, make('b', {}, name), ' ', comment.text),
    make('span', { class: 'what' }, when(comment.at),
      comment.ours ? make('span', { class: 'ours' }, 'sent by OpenReply') : null,
      comment.status ? make('span', {}, 'DM') : null, comment.status ? chip(comment.status) : null),
  ];
  const body = comment.ours ? make('div', { class: 'comment' }, ...inside)
    : make('button', { class: 'comment', type: 'button', 'aria-pressed': String(comment.pressed) }, ...inside);
  if (!comment.ours) body.addEventListener('click', () => { select(comment); refresh(); });
  return make('li', { class: `${comment.parent ? 'reply' : ''} ${fresh ? 'arrives' : ''}` }, body);
}

let shownInbox = null;

function showInbox() {
  const who = chosen.person;
  put('inbox-person', who ? `@${who.username}` : 'someone else');
  put('answer-person', who ? `@${who.username}` : 'someone else');
  const elsewhere = world.graph !== 'fake';
  put('elsewhere', elsewhere ? `Messages go to the Graph API at ${world.graph}, so nothing arrives here. `
    + 'What it answered is in the ledger’s story.' : '');
  const messages = conversation()?.messages ?? [];
  showWindow(conversation()?.last_inbound_at ?? null);
  showFollow(who);
  at('request').hidden = !messages.length || messages.some((message) => !message.from_account);
  put('no-messages', messages.length || elsewhere ? '' : who
    ? `No message yet. Comment as ${who.username} with one of the keywords and watch it arrive.`
    : 'Give them a name and let them comment.');
  const list = at('messages');
  // Another conversation is not news: only what arrives in this one is read out.
  const other = shownInbox !== `${chosen.account} ${who?.id}`;
  shownInbox = `${chosen.account} ${who?.id}`;
  list.setAttribute('aria-live', other ? 'off' : 'polite');
  const comments = new Map(commentsHere().map((comment) => [comment.id, comment.text]));
  follow(at('inbox-scroll'), () => sync(list, messages.map((message) => (
    { key: message.id, ...message, about: comments.get(message.comment) ?? null })), showMessage));
  if (other) requestAnimationFrame(() => list.setAttribute('aria-live', 'polite'));
}

/** Whether the account may write: for a day after the person wrote or tapped. */
function showWindow(since) {
  const left = since === null ? null : Date.parse(since) + DAY - now();
  put('window', left === null ? '' : left <= 0 ? 'The 24 hours are over: nothing reaches them until they write.'
    : `May be written to for ${left > 3600_000 ? `${Math.floor(left / 3600_000)} h` : `${Math.ceil(left / 60_000)} min`}`);
}

function showFollow(who) {
  const found = follows();
  const button = at('follow');
  button.disabled = !who || !chosen.account;
  button.setAttribute('aria-pressed', String(Boolean(found)));
  button.textContent = found ? 'Following' : 'Follow';
  const fresh = found && now() - Date.parse(found.since) < 60_000;
  put('follow-state', fresh ? 'Instagram shows it within a minute.' : '');
}

function showMessage(message) {
  const fresh = now() - Date.parse(message.at) < 3000;
  return make('li', { class: `message ${message.from_account ? '' : 'theirs'} ${fresh ? 'arrives' : ''}` },
    message.about === null ? null : make('span', { class: 'meta' }, `Answers the comment “${message.about}”`),
    make('span', { class: 'bubble' }, ...linked(message.text)),
    message.buttons?.length ? make('span', { class: 'buttons' }, ...message.buttons.map(button)) : null,
    make('span', { class: 'meta' }, when(message.at)));
}

/** A button under a message: it opens an address, or is tapped. */
function button({ title, url, payload }) {
  if (url) return make('a', { class: 'tap', href: url, target: '_blank', rel: 'noopener' }, title);
  const tap = make('button', { class: 'tap', type: 'button' }, title);
  tap.addEventListener('click', () => act(at('message'), '/_local/tap', { payload }));
  return tap;
}

/** What began something, in a few words. */
function told(trigger) {
  const [kind, account, ...rest] = trigger.split(':');
  const id = rest.join(':');
  const all = world.conversations.filter((found) => found.account === account);
  if (kind === 'comment') {
    const comment = world.posts.flatMap((post) => post.comments).find((found) => found.id === id);
    return comment ? `${comment.username ?? comment.from} wrote “${comment.text}”` : 'A comment';
  }
  if (kind === 'message') {
    const found = all.find((one) => one.messages.some((message) => message.id === id));
    const message = found?.messages.find((one) => one.id === id);
    return message ? `${found.username ?? found.user} sent “${message.text}”` : 'A message';
  }
  if (kind === 'follow_up') {
    const [user, campaign] = rest;
    const name = all.find((found) => found.user === user)?.username ?? user;
    return `The follow-up of ${campaign} for ${name}`;
  }
  return kind === 'tap' ? 'A tap on a button' : trigger;
}

function showLedger() {
  const rows = deliveries.filter((row) => row.trigger === chosen.trigger);
  put('totals', totals());
  put('subject', chosen.trigger ? told(chosen.trigger) : '');
  showWhich();
  showLinks();
  put('trigger', chosen.trigger ?? '');
  at('no-story').hidden = Boolean(chosen.trigger);
  sync(at('legs'), rows.map((row) => ({ key: `${row.leg} ${row.campaign}`, ...row })), showLeg);
  const steps = story?.trigger === chosen.trigger ? story.steps : [];
  sync(at('steps'), steps.map((step, index) => ({ key: `${chosen.trigger} ${index}`, ...step })), showStep);
}

/** The newest of what began something, to choose from. */
function showWhich() {
  const triggers = [...new Set([chosen.trigger, ...deliveries.map((row) => row.trigger).reverse()])].filter(Boolean);
  const shown = triggers.slice(0, TRIGGERS_SHOWN).map((trigger) => [trigger, told(trigger).slice(0, 80)]);
  at('which-pick').hidden = shown.length < 2;
  options(at('which'), shown, chosen.trigger ?? '');
}

function showLinks() {
  at('links').hidden = !brought.length;
  const links = brought.flatMap(({ campaign, sent, links }) => links.map((link) => ({ key: link.slug, ...link, campaign, sent })));
  sync(at('link-list'), links, ({ url, campaign, sent, clicks, visitors }) => make('li', {},
    make('b', {}, `${clicks} ${clicks === 1 ? 'click' : 'clicks'}`),
    make('span', { class: 'soft' }, `by ${visitors} of ${sent} who got it`),
    make('span', {}, url), make('span', { class: 'soft' }, `campaign ${campaign}`)));
}

function totals() {
  const counts = new Map();
  for (const row of deliveries) counts.set(row.status, (counts.get(row.status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status.replaceAll('_', ' ').toLowerCase()}`).join(' · ');
}

function showLeg(row) {
  const due = row.due_at ? make('span', { class: 'soft' }, 'goes on at ', when(row.due_at)) : null;
  const tries = row.attempts > 1 ? make('span', { class: 'soft' }, `${row.attempts} attempts`) : null;
  return make('li', {}, chip(row.status), make('b', {}, named(row)),
    row.campaign ? make('span', { class: 'soft' }, `campaign ${row.campaign}`) : null, tries,
    row.waiting_for ? make('span', { class: 'soft' }, `waits for ${row.waiting_for}`) : null, due);
}

const named = (row) => SAYS[row.says] ?? LEGS[row.leg] ?? row.leg;

function showStep(step) {
  return make('li', { class: `step ${step.state} arrives` },
    make('span', {}, make('b', {}, step.what), make('span', { class: 'unseen' }, ` (${STATES[step.state] ?? step.state})`)),
    step.detail ? make('span', { class: 'detail' }, ...shortened(step.detail)) : null,
    make('span', { class: 'meta' }, when(step.at)));
}

/** Ids as long as Instagram's are cut by the page, and are whole in the title. */
function shortened(text) {
  return text.split(/(\S{40,})/).map((part, index) => (
    index % 2 ? make('code', { class: 'long', title: part }, part) : part));
}

/** One line below the composer, for whoever does not see the other panels just now. */
function showOutcome() {
  const rows = deliveries.filter((row) => row.trigger === chosen.trigger && !row.status.startsWith('SKIPPED'));
  const owed = rows.map((row) => `${named(row)}: ${row.status.toLowerCase()}`).join(' · ');
  const where = world.graph === 'fake' ? 'Nothing leaves this machine.' : `Messages go to ${world.graph}.`;
  put('outcome', owed || (story?.steps.at(-1)?.what ?? where));
}

// ---- The clock and the line to the runner ----

let clock = { now: Date.now(), read: performance.now() };
const now = () => clock.now + performance.now() - clock.read;

setInterval(() => {
  if (!world) return;
  const date = new Date(now());
  put('day', date.toLocaleDateString([], { weekday: 'short', day: 'numeric', month: 'short' }));
  put('now', date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' }));
}, 500);

// What only time changes is not told of: a claim that nobody came back for, say.
setInterval(refresh, 10_000);

let heard = false;
let poll = null;

function reachable(yes, error) {
  const state = at('live');
  state.className = `link-state ${yes ? (heard ? 'good' : '') : 'bad'}`;
  const text = yes ? (heard ? 'Live' : 'Looking every 2 seconds')
    : error instanceof TypeError ? 'The runner does not answer. Is it still running?' : `The runner says: ${error.message}`;
  if (state.textContent !== text) state.textContent = text;
}

function listen() {
  const events = new EventSource('/_local/events');
  events.addEventListener('change', refresh);
  events.onopen = () => { heard = true; clearInterval(poll); poll = null; refresh(); };
  events.onerror = () => {
    heard = false;
    poll ??= setInterval(refresh, 2000);
    // A browser gives up on an answer that is no event stream; then it has to be asked anew.
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 5000);
  };
}

// ---- Doing ----

/** A problem takes the place of the line that says how it went. */
function problem(text) {
  put('error', text);
  at('composer').classList.toggle('troubled', text !== '');
}

function fail(error) {
  problem(error instanceof TypeError ? 'The runner does not answer. Is it still running?' : error.message);
}

at('composer').addEventListener('submit', async (event) => {
  event.preventDefault();
  problem('');
  const name = at('name').value.trim().replace(/^@/, '').replaceAll(/\s+/g, '.');
  const from = chosen.person ?? (name ? person(name) : null);
  const text = at('text').value.trim();
  if (!from) { problem('Who comments? Give them a name.'); at('name').focus(); return; }
  if (!text) { problem('Write something first.'); at('text').focus(); return; }
  if (!chosen.account) { problem(NO_ACCOUNT); return; }
  at('send').disabled = true;
  try {
    const { account, media } = chosen;
    const made = await ask('/_local/comment', { account, media, from: from.id, username: from.username, text });
    Object.assign(chosen, { trigger: made.trigger, person: from });
    at('name').value = '';
    at('text').value = '';
    at('post-scroll').scrollTop = at('post-scroll').scrollHeight;
    await refresh();
  } catch (error) {
    fail(error);
  } finally {
    at('send').disabled = false;
    at('text').focus();
  }
});

/** Something that the chosen person does in the conversation; then the place to write has the focus. */
async function act(place, path, what) {
  put('answer-error', '');
  const { account, person: who } = chosen;
  if (!account) { put('answer-error', NO_ACCOUNT); return; }
  if (!who) { put('answer-error', 'Who is it? Give them a name below the post and let them comment.'); return; }
  try {
    const made = await ask(path, { account, from: who.id, ...what });
    // Until what it began has run; a consumer that is stopped does not keep the page waiting.
    await Promise.race([ask('/_local/idle').catch(() => null), new Promise((resume) => setTimeout(resume, 2000))]);
    await refresh();
    // What a message or a tap began has a story of its own; what it went on with is told where it began.
    if (made.trigger && deliveries.some((row) => row.trigger === made.trigger)) {
      chosen.trigger = made.trigger;
      await refresh();
    }
  } catch (error) {
    put('answer-error', error instanceof TypeError ? 'The runner does not answer. Is it still running?' : error.message);
  }
  place.focus();
}

const say = (text) => act(at('message'), '/_local/message', { username: chosen.person?.username, text });

at('answer').addEventListener('submit', async (event) => {
  event.preventDefault();
  const text = at('message').value.trim();
  if (!text) return;
  at('message').value = '';
  await say(text);
});

for (const button of document.querySelectorAll('[data-say]')) {
  button.addEventListener('click', () => say(button.dataset.say));
}

at('follow').addEventListener('click', () => act(at('follow'), '/_local/follow', { follows: !follows() }));

at('which').addEventListener('change', () => { chosen.trigger = at('which').value; refresh(); });

at('person').addEventListener('change', () => {
  const id = at('person').value;
  const other = id === SOMEONE_ELSE;
  at('name').hidden = !other;
  if (other) at('name').focus();
  chosen.person = people().find((known) => known.id === id) ?? null;
  const last = commentsHere().findLast((comment) => comment.from === id);
  chosen.trigger = last ? `comment:${chosen.account}:${last.id}` : '';
  refresh();
});

for (const name of ['account', 'media']) {
  at(name).addEventListener('change', () => {
    Object.assign(chosen, { [name]: at(name).value, trigger: null, everything: false });
    refresh();
  });
}

at('earlier').addEventListener('click', () => { chosen.everything = true; show(); });

for (const button of document.querySelectorAll('[data-advance]')) {
  button.addEventListener('click', async () => {
    const all = document.querySelectorAll('[data-advance]');
    all.forEach((each) => { each.disabled = true; });
    try {
      await ask('/_local/advance', { seconds: Number(button.dataset.advance) });
      problem('');
    } catch (error) {
      fail(error);
    }
    all.forEach((each) => { each.disabled = false; });
    button.focus();
    refresh();
  });
}

refresh();
listen();
