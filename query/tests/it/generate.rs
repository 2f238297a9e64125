//! Generates trees of every kind, with strings that need escaping.

use pergola_query::syntax::{
    AlterAction, Bracket, Compare, ExplainTarget, Expr, Feed, FeedBody, Field, Filter, Keyword,
    Literal, Moment, OptionKind, Options, OrderBy, Period, PublishedTest, Script, SourceClause,
    SourceRef, Spanned, Statement, Test, TextOp, Unit,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

pub(crate) fn field() -> impl Strategy<Value = Field> {
    use Field::{Author, Category, Content, Item, Link, Source, Title};
    select(vec![Title, Content, Author, Link, Category, Source, Item])
}

fn text_op() -> impl Strategy<Value = TextOp> {
    select(vec![TextOp::Contains, TextOp::Matches, TextOp::Equal, TextOp::NotEqual])
}

fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z_é][a-zA-Z0-9_]{0,6}(-[a-z0-9]{1,3})?"
        .prop_filter("reserved", |name| !Keyword::of(name).is_some_and(Keyword::is_reserved))
}

/// A day or a second between the years 1900 and 2200.
pub(crate) fn moment() -> impl Strategy<Value = Moment> {
    let second = (1900..2200u32, 1..=12u32, 1..=28u32, 0..24u32, 0..60u32, 0..60u32)
        .prop_map(|(y, mo, d, h, mi, s)| format!("{y:04}-{mo:02}-{d:02}T{h:02}:{mi:02}:{s:02}Z"));
    let day = (1900..2200u32, 1..=12u32, 1..=28u32)
        .prop_map(|(y, mo, d)| format!("{y:04}-{mo:02}-{d:02}"));
    prop_oneof![second, day].prop_map(|text| Moment::parse(&text).unwrap())
}

fn period() -> impl Strategy<Value = Period> {
    let unit = select(vec![Unit::Seconds, Unit::Minutes, Unit::Hours, Unit::Days, Unit::Weeks]);
    (1..=u32::MAX, unit).prop_map(|(count, unit)| Period { count, unit })
}

fn published() -> impl Strategy<Value = PublishedTest> {
    use Compare::{After, Before, NotAfter, NotBefore, NotOn, On};
    let compare = select(vec![Before, NotAfter, After, NotBefore, On, NotOn]);
    prop_oneof![
        (compare, moment()).prop_map(|(compare, moment)| PublishedTest::Compare(compare, moment)),
        (moment(), moment()).prop_map(|(a, b)| {
            let (first, last) = if a.start() < b.end() { (a, b) } else { (b, a) };
            PublishedTest::Between(first, last)
        }),
        period().prop_map(PublishedTest::Within),
    ]
}

/// A string, perhaps with EXACT.
pub(crate) fn literal(
    text: impl Strategy<Value = String>,
) -> impl Strategy<Value = Spanned<Literal>> {
    let plain = |(text, exact)| Spanned::unplaced(Literal { text, exact });
    (text, any::<bool>()).prop_map(plain)
}

fn any_test() -> impl Strategy<Value = Test> {
    prop_oneof![
        4 => (field(), text_op(), literal(any::<String>())).prop_map(|(field, op, mut value)| {
            value.value.exact &= op != TextOp::Matches;
            Test::Text { field, op, value }
        }),
        1 => (field(), vec(literal(any::<String>()), 1..4))
            .prop_map(|(field, values)| Test::OneOf { field, values }),
        1 => published().prop_map(Test::Published),
    ]
}

/// Conditions in normal form over the given tests.
pub(crate) fn condition(
    test: impl Strategy<Value = Test> + 'static,
) -> impl Strategy<Value = Expr> {
    test.prop_map(Expr::from).prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 1..4).prop_map(|parts| Expr::all(parts).unwrap()),
            vec(inner.clone(), 1..4).prop_map(|parts| Expr::any(parts).unwrap()),
            inner.prop_map(|inner| Expr::Not(Box::new(inner))),
        ]
    })
}

fn filter() -> impl Strategy<Value = Filter> {
    let bracket = (name(), condition(any_test()))
        .prop_map(|(variable, expr)| Bracket { variable: Spanned::unplaced(variable), expr });
    (option::of(condition(any_test())), vec(bracket, 0..3))
        .prop_map(|(common, brackets)| Filter { common, brackets })
}

fn source() -> impl Strategy<Value = Spanned<SourceRef>> {
    prop_oneof![
        any::<String>().prop_map(SourceRef::Url),
        any::<String>().prop_map(SourceRef::Opml),
        any::<String>().prop_map(SourceRef::Folder),
        name().prop_map(SourceRef::Feed),
        (any::<String>(), name()).prop_map(|(node, feed)| SourceRef::Peer { node, feed }),
    ]
    .prop_map(Spanned::unplaced)
}

fn sources() -> impl Strategy<Value = Vec<SourceClause>> {
    let clause = (source(), option::of(name().prop_map(Spanned::unplaced)))
        .prop_map(|(source, variable)| SourceClause { source, variable });
    vec(clause, 1..4)
}

fn options() -> impl Strategy<Value = Options> {
    (
        option::of(1..=1_000_000u32),
        option::of(period()),
        option::of(select(vec![OrderBy::Published, OrderBy::Source])),
        option::of(1e-9..1e6f64),
        option::of(prop_oneof![Just(Options::NOVEL), 0.0..10.0f64]),
    )
        .prop_map(|(window, keep, order, weight, novel)| Options {
            window,
            keep,
            order,
            weight,
            novel,
        })
}

fn body() -> impl Strategy<Value = FeedBody> {
    (sources(), filter(), options()).prop_map(|(sources, filter, options)| FeedBody {
        sources,
        filter,
        options,
    })
}

fn feed() -> impl Strategy<Value = Box<Feed>> {
    (name(), body()).prop_map(|(name, body)| Box::new(Feed { name: Spanned::unplaced(name), body }))
}

fn alter() -> impl Strategy<Value = AlterAction> {
    use OptionKind::{Keep, Order, Weight, Window};
    prop_oneof![
        body().prop_map(AlterAction::Replace),
        filter().prop_filter("empty", |f| *f != Filter::default()).prop_map(AlterAction::Filter),
        sources().prop_map(AlterAction::Add),
        vec(source(), 1..4).prop_map(AlterAction::Remove),
        options().prop_filter("empty", |o| *o != Options::default()).prop_map(AlterAction::Set),
        subsequence(vec![Window, Keep, Order, Weight], 1..=4).prop_map(AlterAction::Reset),
        name().prop_map(|name| AlterAction::Rename(Spanned::unplaced(name))),
    ]
}

/// Up to three statements of any kind.
pub(crate) fn script() -> impl Strategy<Value = Script> {
    let named = || name().prop_map(Spanned::unplaced);
    let statement = prop_oneof![
        4 => feed().prop_map(Statement::Create),
        1 => named().prop_map(Statement::Drop),
        2 => (named(), alter()).prop_map(|(name, action)| Statement::Alter(name, Box::new(action))),
        1 => named().prop_map(|name| Statement::Explain(ExplainTarget::Named(name))),
        1 => feed().prop_map(|feed| Statement::Explain(ExplainTarget::Proposed(feed))),
    ];
    vec(statement.prop_map(Spanned::unplaced), 0..4).prop_map(|statements| Script { statements })
}
