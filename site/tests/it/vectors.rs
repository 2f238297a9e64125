//! Texts that would run a script, load something or change a page if anybody forgot to escape them.

/// Texts for titles, addresses, folders and whatever else people and sites may write.
pub(crate) const VECTORS: [&str; 56] = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "\"><script>alert(1)</script>",
    "'><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<img src=\"x\" onerror=\"alert(1)\">",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "\" onmouseover=\"alert(1)",
    "\" autofocus onfocus=\"alert(1)",
    "x\" onclick=alert(1) y=\"",
    "<svg onload=alert(1)>",
    "<svg/onload=alert(1)//",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><set attributeName=href to=javascript:alert(1)>",
    "<math><mtext><script>alert(1)</script></mtext></math>",
    "<body onload=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>",
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href=\"jAvAsCrIpT:alert(1)\">x</a>",
    "<a href=\"java\tscript:alert(1)\">x</a>",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<button formaction=javascript:alert(1)>x</button>",
    "<input autofocus onfocus=alert(1)>",
    "<select autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<audio src=x onerror=alert(1)>",
    "<marquee onstart=alert(1)>",
    "<meta http-equiv=refresh content=\"0;url=//evil.example\">",
    "<base href=//evil.example/>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<style>@import '//evil.example/x.css';</style>",
    "<div style=\"background:url(//evil.example/x)\">",
    "<table background=//evil.example/x>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<!--><script>alert(1)</script-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version=\"1.0\"?><script>alert(1)</script>",
    "<xss id=x tabindex=1 onfocus=alert(1)></xss>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "{{constructor.constructor('alert(1)')()}}<b>",
    "\u{202e}<script>alert(1)</script>",
    "<b onclick='alert(1)'>Tom & Jerry \"quoted\"</b>",
];

/// A page may show a vector as text, and never as markup. A text without markup may stand as it is: our attributes have
/// double quotes, so a single one ends none.
pub(crate) fn assert_harmless(page: &str, vector: &str, place: &str) {
    let has_markup = vector.contains(['<', '>', '"']);
    assert!(!has_markup || !page.contains(vector), "{place} shows {vector:?} as it is");
    let marks =
        ["<script>alert", "<img src=x", "<svg on", "onmouseover=\"alert", "onfocus=\"alert"];
    for mark in marks.into_iter().chain(["href=\"javascript:", "href=\"data:", "='"]) {
        let shown = if mark == "='" {
            tags(page).any(|tag| tag.contains(mark))
        } else {
            page.contains(mark)
        };
        assert!(!shown, "{place} has {mark} after {vector:?}");
    }
}

/// The tags of a page without what stands between double quotes.
fn tags(page: &str) -> impl Iterator<Item = String> {
    page.split('<').skip(1).map(|rest| {
        let unquoted: String = rest.split('"').step_by(2).collect();
        unquoted.split('>').next().unwrap_or_default().to_owned()
    })
}
