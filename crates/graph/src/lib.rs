//! Instagram: the Graph API client, webhook parsing, and what an answer proves.
