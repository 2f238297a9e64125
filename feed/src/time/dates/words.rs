//! Names of months and time zones.

/// Prefixes of month names, in the languages that feeds use for dates.
const MONTHS: [&[&str]; 12] = [
    &["jan", "jän", "ene", "gen", "янв", "ιαν", "sty"],
    &["feb", "fev", "fév", "фев", "φεβ", "lut"],
    &["mar", "mär", "mae", "mrz", "maa", "már", "мар", "μαρ", "μάρ"],
    &["apr", "avr", "abr", "ápr", "апр", "απρ", "kwi"],
    &["may", "mai", "maj", "mei", "mag", "máj", "май", "мая", "μαι", "μαΐ", "μάι"],
    &["jun", "giu", "jui", "jún", "июн", "ιουν", "ιούν", "cze"],
    &["jul", "lug", "juil", "júl", "июл", "ιουλ", "ιούλ", "lip"],
    &["aug", "aou", "aoû", "ago", "авг", "αυγ", "αύγ", "sie"],
    &["sep", "set", "szept", "сен", "σεπ", "wrz"],
    &["oct", "okt", "ott", "out", "окт", "οκτ", "paź", "paz"],
    &["nov", "ноя", "νοε", "νοέ", "lis"],
    &["dec", "déc", "dez", "dic", "дек", "δεκ", "gru"],
];

/// The month (1 to 12) that a lower-case word names. The longest matching prefix wins, because
/// `juillet` and `juin` begin alike.
pub(super) fn month(word: &str) -> Option<u32> {
    let mut best: Option<(usize, u32)> = None;
    for (number, beginnings) in (1u32..).zip(MONTHS) {
        for beginning in beginnings {
            let longer = best.is_none_or(|(length, _)| beginning.len() > length);
            if longer && word.starts_with(beginning) {
                best = Some((beginning.len(), number));
            }
        }
    }
    best.map(|(_, number)| number)
}

/// The month of an English abbreviation, spelt as in mail headers.
pub(super) fn english(name: &[u8]) -> Option<u32> {
    const NAMES: [&[u8; 3]; 12] = [
        b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov",
        b"Dec",
    ];
    (1..).zip(NAMES).find(|(_, known)| known.as_slice() == name).map(|(number, _)| number)
}

/// The offset of a named zone (lower case), in minutes east of Greenwich.
pub(super) fn zone(word: &str) -> Option<i32> {
    let minutes = match word {
        "z" | "ut" | "utc" | "gmt" | "wet" => 0,
        "bst" | "cet" | "met" | "mez" | "west" => 60,
        "cest" | "mest" | "mesz" | "eet" | "sast" | "cat" => 120,
        "eest" | "msk" | "eat" | "trt" => 180,
        "gst" | "msd" => 240,
        "pkt" => 300,
        "ist" => 330,
        "ict" | "wib" => 420,
        "hkt" | "sgt" | "awst" | "myt" | "pht" => 480,
        "jst" | "kst" => 540,
        "acst" => 570,
        "aest" => 600,
        "acdt" => 630,
        "aedt" => 660,
        "nzst" => 720,
        "nzdt" => 780,
        "nst" => -210,
        "ndt" => -150,
        "ast" | "edt" | "clt" => -240,
        "adt" | "brt" | "art" => -180,
        "est" | "cdt" | "cot" | "et" => -300,
        "cst" | "mdt" | "ct" => -360,
        "mst" | "pdt" | "mt" => -420,
        "pst" | "akdt" | "pt" => -480,
        "akst" => -540,
        "hst" => -600,
        _ => return None,
    };
    Some(minutes)
}
