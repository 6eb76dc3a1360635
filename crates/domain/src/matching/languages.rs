//! The rules as tables: what people write in each script, and whether it meets the keyword.

use super::MatchMode::{AnyWord, Partial, WholeWord};
use super::{FoldedText, Keywords, MatchMode, folds_to_nothing};

fn meets(mode: MatchMode, keyword: &str, text: &str) -> bool {
    Keywords::new(mode, &[keyword.to_owned()]).find(&FoldedText::new(text)) == Some(0)
}

/// `yes` and `no` hold the texts that do and do not meet the keyword.
struct Row {
    language: &'static str,
    keyword: &'static str,
    yes: &'static [&'static str],
    no: &'static [&'static str],
}

#[track_caller]
fn check(mode: MatchMode, rows: &[Row]) {
    let mut wrong = Vec::new();
    for Row { language, keyword, yes, no } in rows {
        for (texts, expected) in [(yes, true), (no, false)] {
            wrong.extend(
                texts
                    .iter()
                    .filter(|text| meets(mode, keyword, text) != expected)
                    .map(|text| format!("{language}: {keyword:?} in {text:?} should be {expected}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{mode:?}\n{}", wrong.join("\n"));
}

macro_rules! rows {
    ($($language:literal: $keyword:literal => yes [$($yes:literal),* $(,)?], no [$($no:literal),* $(,)?];)*) => {
        &[$(Row { language: $language, keyword: $keyword, yes: &[$($yes),*], no: &[$($no),*] }),*]
    };
}

#[test]
fn whole_words_in_latin_script() {
    check(
        WholeWord,
        rows! {
            "English": "LINK" => yes ["link", "Link please", "#link", "link's", "link’s", "my_link_here", "(LINK)", "the link!!",
                "link-tree", "link.", "«link»", "link🔥", "🔥link", "link/guide", "linkedin link", "linkedin, linking, LINK", "a\nlink\tb"],
                no ["linkedin", "blink", "links", "linkˇ", "link2", "2link", "l i n k", "lin", ""];
            "English": "don't" => yes ["I don’t know", "DON´T", "don`t", "donʼt!"], no ["dont", "don t"];
            "English": "free guide" => yes ["Free   GUIDE!", "free\nguide", "free\u{A0}guide", "free\u{3000}\r\n guide", "fr\u{200B}ee guide"],
                no ["freeguide", "free-guide", "free guides", "carefree guide", "free the guide"];
            "English": "  guide \n" => yes ["guide", "the guide."], no ["guided"];
            "English": "a-a" => yes ["xa-a-a", "a-a"], no ["xa-ax", "a a"];
            "English": "c++" => yes ["C++", "c++11", "i like c++!"], no ["c+", "abc++"];
            "Portuguese": "preco" => yes ["PREÇO?", "preço", "pre\u{E7}o", "prec\u{327}o", "Qual o Preço, por favor"], no ["preços", "apreço"];
            "Portuguese": "AÇÃO" => yes ["acao", "ação", "Ac\u{327}a\u{303}o"], no ["ações", "reação"];
            "Spanish": "guía" => yes ["GUIA", "guía", "¡Guía!", "¿guia?", "gui\u{301}a"], no ["guías", "guiar"];
            "Spanish": "año" => yes ["ANO", "An\u{303}o"], no ["años", "baño"];
            "French": "Été" => yes ["ete", "l'été", "l’ÉTÉ", "ÉTÉ !"], no ["étés", "répété"];
            "French": "cœur" => yes ["COEUR", "mon cœur", "Cœur"], no ["cœurs", "cour"];
            "German": "Straße" => yes ["STRASSE", "strasse", "STRAẞE", "straße."], no ["Straßen", "strase"];
            "German": "grüße" => yes ["GRÜSSE", "gru\u{308}ße", "Viele Grüße!"], no ["begrüße", "gruese"];
            "Polish": "łódź" => yes ["LODZ", "Łódź", "łodz", "lo\u{301}dz\u{301}"], no ["łodzi", "lódź2"];
            "Polish": "zażółć gęślą" => yes ["ZAZOLC GESLA", "Zażółć  gęślą jaźń"], no ["zażółćgęślą"];
            "Turkish": "LİNK" => yes ["link", "LINK", "lınk", "Link'i", "LI\u{307}NK"], no ["linki", "linkler"];
            "Turkish": "ışık" => yes ["ISIK", "IŞIK", "isik", "ışık!", "İŞİK"], no ["ışıklar"];
            "Vietnamese": "đường dẫn" => yes ["duong dan", "ĐƯỜNG DẪN", "đu\u{31B}o\u{31B}\u{300}ng dẫn"], no ["đường", "đườngdẫn"];
            "Danish": "smørrebrød" => yes ["SMORREBROD", "Smørrebrød!"], no ["smørrebrødet"];
            "Danish": "æble på" => yes ["AEBLE PA", "æble pa\u{30A}"], no ["able på", "æble pågår"];
            "Icelandic": "það" => yes ["THAD", "ÞAÐ"], no ["þaðan"];
            "Croatian": "ǆep" => yes ["DŽEP", "dzep", "Ǆep", "ǅep"], no ["dep"];
            "Hausa": "ƙasa" => yes ["KASA", "Ƙasa"], no ["ƙasar"];
            "Uzbek": "o‘zbek" => yes ["oʻzbek", "O'ZBEK", "o’zbek"], no ["ozbek"];
            "full width": "link" => yes ["ＬＩＮＫ", "ｌｉｎｋ！", "＃ｌｉｎｋ"], no ["ｌｉｎｋｓ"];
            "decorated": "link" => yes ["𝐋𝐈𝐍𝐊", "𝓵𝓲𝓷𝓴", "Ⓛⓘⓝⓚ", "l\u{336}i\u{336}n\u{336}k\u{336}", "link™", "link©"], no ["𝓵𝓲𝓷𝓴𝓼"];
            "ligature": "office" => yes ["oﬃce", "OﬀICE"], no ["oﬃces"];
            "digits": "24" => yes ["24", "２４!", "#24", "24/7"], no ["240", "124", "٢٤"];
        },
    );
}

#[test]
fn whole_words_in_other_scripts_with_spaces() {
    check(
        WholeWord,
        rows! {
            "Greek": "σύνδεσμος" => yes ["ΣΎΝΔΕΣΜΟΣ", "Σύνδεσμος;", "συ\u{301}νδεσμος", "ΣΎΝΔΕΣΜΟσ"], no ["συνδεσμος", "σύνδεσμοι", "υπερσύνδεσμος"];
            "Greek": "ᾳσμα" => yes ["αισμα", "ΑΙΣΜΑ", "α\u{345}σμα"], no ["ασμα"];
            "Greek": "ᾴσμα" => yes ["α\u{345}\u{301}σμα", "α\u{301}\u{345}σμα", "άισμα"], no ["ᾳσμα"];
            "Russian": "ссылка" => yes ["ССЫЛКА", "Ссылка!", "#ссылка", "ссыл\u{AD}ка"], no ["ссылкам", "ссылку", "пересылка", "ссы\u{301}лка"];
            "Russian": "за" => yes ["за!", "за-за"], no ["за\u{301}мок", "за\u{301}"];
            "Russian": "мой" => yes ["МОЙ", "мои\u{306}", "Мой."], no ["мои", "МОИ", "мойка"];
            "Russian": "ёлка" => yes ["ЁЛКА", "е\u{308}лка"], no ["елка"];
            "Ukrainian": "їжа" => yes ["ЇЖА", "і\u{308}жа"], no ["іжа", "їжак"];
            "Ukrainian": "п'ять" => yes ["П’ЯТЬ", "пʼять"], no ["пять"];
            "Latin beside Cyrillic": "link" => yes ["«link» тут"], no ["linkа", "linkу"];
            "Arabic": "رابط" => yes ["رابط", "رابط؟", "أريد رابط، شكرا", "ﺭﺍﺑﻂ", "را\u{200C}بط", "\u{200F}رابط\u{200E}"],
                no ["الرابط", "رابطة", "رَابط"];
            "Arabic": "لا" => yes ["ﻻ", "لا!"], no ["لأ", "كلا"];
            "Persian": "می\u{200C}خواهم" => yes ["میخواهم", "من می\u{200C}خواهم."], no ["می خواهم", "نمی\u{200C}خواهم"];
            "Urdu": "لنک" => yes ["لنک چاہیے", "لنک۔"], no ["لنکس"];
            "Hebrew": "קישור" => yes ["קישור", "אפשר קישור?", "\u{200F}קישור!", "קישור-לדף"], no ["הקישור", "קישורים", "קִישור"];
            "Hebrew": "שׁלום" => yes ["ש\u{5C1}לום"], no ["שלום", "ש\u{5C2}לום"];
            "Hindi": "लिंक" => yes ["लिंक", "मुझे लिंक चाहिए", "लिंक।", "लिं\u{200D}क"], no ["लिंकों", "लिक", "लिंक१"];
            "Hindi": "क़लम" => yes ["क\u{93C}लम", "क़लम!"], no ["कलम"];
            "Bengali": "লিংক" => yes ["লিংক", "লিংক দিন", "লিংক।"], no ["লিংকটা", "লিংকে"];
            "Bengali": "ভালো" => yes ["ভাল\u{9C7}\u{9BE}"], no ["ভাল", "ভালোবাসা"];
            "Tamil": "இணைப்பு" => yes ["இணைப்பு", "இணைப்பு வேண்டும்"], no ["இணைப்பை", "இணைப்புகள்"];
            "Telugu": "లింక్" => yes ["లింక్", "లింక్ పంపండి"], no ["లింకు", "లింక్లు"];
            "Punjabi": "ਲਿੰਕ" => yes ["ਲਿੰਕ ਭੇਜੋ"], no ["ਲਿੰਕਾਂ"];
            "Sinhala": "ලින්ක්" => yes ["ලින්ක් එක"], no ["ලින්ක්ස්"];
            "Korean": "링크" => yes ["링크", "링크!", "링크 주세요", "\u{1105}\u{1175}\u{11BC}\u{110F}\u{1173}"], no ["링크를", "하이퍼링크", "링"];
            "Korean": "한글" => yes ["\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}"], no ["한글날", "하글"];
            "Georgian": "ბმული" => yes ["ბმული", "ᲑᲛᲣᲚᲘ", "ბმული!"], no ["ბმულის", "ჰიპერბმული"];
            "Armenian": "հղում" => yes ["ՀՂՈՒՄ", "Հղում։", "հղում՜"], no ["հղումը", "հղումներ"];
            "Armenian": "և" => yes ["ԵՒ", "եւ"], no ["եւս"];
            "Amharic": "ሊንክ" => yes ["ሊንክ", "ሊንክ፡ይላኩ", "ሊንክ።"], no ["ሊንኩ", "ሊንክን"];
            "Cherokee": "ᏣᎳᎩ" => yes ["ꮳꮃꭹ", "ᏣᎳᎩ!"], no ["ᏣᎳᎩᏱ"];
            "Mongolian": "холбоос" => yes ["ХОЛБООС илгээ"], no ["холбоосоо"];
        },
    );
}

#[test]
fn beside_scripts_without_spaces_contained_is_enough() {
    check(
        WholeWord,
        rows! {
            "Japanese": "リンク" => yes ["リンクください", "リンク", "ﾘﾝｸください", "動画のリンクを", "リンク2", "Xリンク", "リン\u{200B}ク", "リンクー"], no ["リング", "りんく", "ルンク"];
            "Japanese": "link" => yes ["リンクlinkください", "linkください", "このlink", "ーlinkー", "ｶﾞlink", "か\u{309A}link", "か\u{301}link", "ＬＩＮＫを", "々link"], no ["リンクlinksください", "blinkください"];
            "Japanese": "ガイド" => yes ["カ\u{3099}イト\u{3099}", "ｶﾞｲﾄﾞ", "無料ガイド希望"], no ["カイド", "ガイト", "カイト"];
            "Japanese": "コーヒー" => yes ["コーヒー飲みたい", "ｺｰﾋｰ"], no ["コヒ"];
            "Chinese": "链接" => yes ["链接", "求链接！", "请发链接给我", "link链接", "链接2"], no ["链", "鏈接"];
            "Chinese": "想要 链接" => yes ["想要　链接"], no ["想要链接"];
            "Chinese": "OK" => yes ["我ok了", "ＯＫ啦"], no ["我okay了"];
            "Taiwan": "連結" => yes ["給我連結ㄅ", "ㄅ連結"], no ["連"];
            "Thai": "ลิงก์" => yes ["ขอลิงก์หน่อย", "ลิงก์", "ลิงก์ค่ะ", "link ลิงก์"], no ["ลิงค์", "ลิง"];
            "Thai": "link" => yes ["ขอlinkหน่อย", "linkค่ะ", "ๆlink", "๑link"], no ["ขอlinksหน่อย"];
            "Thai": "น้ำ" => yes ["น\u{E49}\u{E4D}\u{E32}", "ดื่มน้ำเยอะ"], no ["นำ"];
            "Burmese": "link" => yes ["၂link", "link၂", "လlink"], no ["၂links"];
            "Lao": "ລິ້ງ" => yes ["ຂໍລິ້ງແດ່", "ລິ້ງ"], no ["ລິງ"];
            "Khmer": "តំណ" => yes ["សូមតំណភ្ជាប់", "តំណ"], no ["តណ"];
            "Burmese": "လင့်" => yes ["လင့်ပေးပါ", "လင့်", "xလင့်"], no ["လင်"];
            "Korean beside Han": "링크" => yes ["링크漢"], no ["링크한"];
        },
    );
}

#[test]
fn emoji_are_met_wherever_they_stand() {
    let rows: &[Row] = rows! {
        "heart": "❤" => yes ["❤️", "❤", "love❤️you", "❤\u{FE0E}", "❤️‍🔥", "so❤❤"], no ["💙", "love"];
        "heart as typed on a phone": "❤️" => yes ["❤", "a❤b"], no ["♥"];
        "skin tone": "👍" => yes ["👍🏽", "ok👍🏿ok", "👍👍"], no ["👎"];
        "one skin tone": "👍🏽" => yes ["👍🏽", "x👍🏽x"], no ["👍", "👍🏿"];
        "family": "👩‍👩‍👧" => yes ["👩‍👩‍👧", "👩👩👧"], no ["👩‍👧", "👩 👩 👧"];
        "flag": "🇩🇪" => yes ["🇩🇪", "go🇩🇪go", "🇫🇷🇩🇪🇪🇸", "🇧 🇩🇪"], no ["🇧🇩🇪🇸", "🇩", "🇪🇩", "🇪🇩🇪"];
        "half a flag": "🇩" => yes ["🇩", "a🇩b", "🇩🇪🇩"], no ["🇩🇪", "🇪🇩"];
        "a region's flag": "🏴󠁧󠁢󠁥󠁮󠁧󠁿" => yes ["🏴󠁧󠁢󠁥󠁮󠁧󠁿", "up🏴󠁧󠁢󠁥󠁮󠁧󠁿!"], no ["🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴"];
        "black flag": "🏴" => yes ["🏴", "🏴‍☠️", "🏴🏴󠁧󠁢󠁥󠁮󠁧󠁿"], no ["🏴󠁧󠁢󠁥󠁮󠁧󠁿"];
        "keycap": "1️⃣" => yes ["1️⃣", "1\u{20E3}", "top1️⃣go", "11️⃣"], no ["1", "2️⃣"];
        "a sign that looks like a letter": "ℹ️" => yes ["ℹ", "seeℹ️here"], no ["i", "I want it", "info"];
        "secret": "㊙️" => yes ["㊙", "a㊙b"], no ["秘"];
        "with words": "🔥 guide" => yes ["🔥 guide", "x🔥 GUIDE!"], no ["🔥guide"];
    };
    check(WholeWord, rows);
    check(Partial, rows);
    check(
        WholeWord,
        rows! {
            "word at an emoji": "link" => yes ["link🔥", "❤️link❤️", "link1️⃣", "1️⃣link", "🇩🇪link🇩🇪", "linkℹ️"], no ["link1", "🔥links🔥"];
            "digit": "1" => yes ["1", "1🔥", "🔥1"], no ["1️⃣", "11", "a1"];
            "emoji and word": "🔥guide" => yes ["x🔥guide", "🔥Guide!"], no ["🔥guides"];
        },
    );
}

#[test]
fn partial_means_contained() {
    check(
        Partial,
        rows! {
            "English": "link" => yes ["linkedin", "blinking", "LINK", "my#link2"], no ["lin k", "lnk"];
            "Portuguese": "preco" => yes ["apreços"], no ["preso"];
            "German": "strasse" => yes ["Hauptstraßen"], no ["Strase"];
            "Turkish": "ISIK" => yes ["ışıklar"], no ["işçi"];
            "Russian": "и" => yes ["мир", "мои"], no ["мой"];
            "Arabic": "رابط" => yes ["الرابطة"], no ["ربط"];
            "Hindi": "लिंक" => yes ["लिंकों"], no ["लिक"];
            "Japanese": "か" => yes ["かき"], no ["が", "か\u{3099}"];
            "Korean": "하" => yes ["하늘"], no ["한글", "\u{1112}\u{1161}\u{11AB}"];
            "Thai": "ลิงก์" => yes ["ขอลิงก์หน่อย"], no ["ลิง"];
            "digits": "1" => yes ["1️⃣", "10"], no ["2"];
        },
    );
}

#[test]
fn any_word_meets_every_comment() {
    for keywords in [vec![], vec!["link".to_owned()], vec![String::new()]] {
        let keywords = Keywords::new(AnyWord, &keywords);
        for text in ["", " ", "anything", "🔥", "\u{200B}"] {
            assert_eq!(keywords.find(&FoldedText::new(text)), Some(0), "{text:?}");
        }
    }
}

#[test]
fn the_first_keyword_of_the_list_is_named() {
    let keywords = ["guide", "link", "LINK", "précis"].map(str::to_owned);
    for mode in [WholeWord, Partial] {
        let keywords = Keywords::new(mode, &keywords);
        for (text, expected) in
            [("link", Some(1)), ("link guide", Some(0)), ("PRECIS", Some(3)), ("nothing", None), ("", None)]
        {
            assert_eq!(keywords.find(&FoldedText::new(text)), expected, "{mode:?} {text:?}");
        }
    }
    assert_eq!(Keywords::new(WholeWord, &[]).find(&FoldedText::new("link")), None);
}

#[test]
fn a_keyword_that_folds_to_nothing_meets_nothing() {
    for keyword in [
        "",
        " ",
        "\n\t",
        "\u{200B}",
        "\u{FE0F}\u{200D}",
        "\u{A0}\u{3000}",
        "\u{AD}",
        "\u{FEFF} \u{202E}",
        "\u{3164}",
    ] {
        assert!(folds_to_nothing(keyword), "{keyword:?}");
        for mode in [WholeWord, Partial] {
            for text in ["", " ", "link", "a b", keyword] {
                assert!(!meets(mode, keyword, text), "{mode:?} {keyword:?} in {text:?}");
            }
        }
    }
    for keyword in ["a", "!", "🔥", "ー", "\u{301}", " x "] {
        assert!(!folds_to_nothing(keyword), "{keyword:?}");
    }
}
