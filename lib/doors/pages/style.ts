import { createHash } from 'node:crypto'

/** The style of all pages. It stands in each page, so that a page is one request. Colours have a contrast of 4.5 and more. */
export const style = `
:root{color-scheme:light dark;--paper:#fbf8f3;--card:#fff;--ink:#231d19;--soft:#5f554d;--line:#e3dacd;--brick:#8f2f1a;--wash:#f3ebdf;--water:#dfe8ea;--good:#1f5f3a;--doubt:#7a4b00;--bad:#8f1f1f;
--serif:"Iowan Old Style","Palatino Linotype",Palatino,"Noto Serif","Noto Serif Devanagari",Georgia,serif;--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans Devanagari",Mangal,sans-serif}
@media (prefers-color-scheme:dark){:root{--paper:#181412;--card:#211c19;--ink:#f0e9e0;--soft:#b9ada1;--line:#3b332d;--brick:#f3a58c;--wash:#2a2320;--water:#22302f;--good:#8fd3a8;--doubt:#f0c274;--bad:#ff9e93}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 var(--sans);overflow-wrap:anywhere}
:lang(ne){line-height:1.75}
a{color:var(--brick);text-underline-offset:.15em;text-decoration-thickness:.06em}
a:hover{text-decoration-thickness:.12em}
:focus-visible{outline:3px solid var(--brick);outline-offset:2px;border-radius:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem 1rem;z-index:1}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.wrap{max-width:70rem;margin:0 auto;padding:0 1.25rem}
.top{border-bottom:1px solid var(--line);background:var(--card)}
.top .wrap{display:flex;flex-wrap:wrap;gap:.75rem 1.5rem;align-items:center;padding-top:.75rem;padding-bottom:.75rem}
.brand{font:600 1.1rem/1.3 var(--serif);color:var(--ink);text-decoration:none}
.brand:hover{text-decoration:underline}
form.find{display:flex;flex:1 1 16rem;max-width:34rem;margin-left:auto}
input[type=search]{flex:1;min-width:0;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);border-right:0;border-radius:.4rem 0 0 .4rem;padding:.45rem .8rem}
button{font:inherit;font-weight:600;color:var(--card);background:var(--brick);border:1px solid var(--brick);border-radius:0 .4rem .4rem 0;padding:.45rem 1.1rem;cursor:pointer}
.tongue{font-size:.95rem}
.tongue a{display:inline-block;padding:.35rem .2rem}
main.wrap{display:block;padding-top:2rem;padding-bottom:3rem}
h1{font:600 clamp(1.9rem,1.4rem + 2.4vw,2.9rem)/1.18 var(--serif);margin:.2rem 0 .3rem;text-wrap:balance}
h1:lang(ne),h2:lang(ne){line-height:1.4}
h2{font:600 1.35rem/1.3 var(--serif);margin:2.4rem 0 .8rem;padding-bottom:.35rem;border-bottom:1px solid var(--line)}
.side h2{font-size:1.1rem;margin:1.6rem 0 .6rem}
h3{font:600 1rem/1.4 var(--sans);margin:1.2rem 0 .3rem}
.kind{font-size:.85rem;font-weight:600;letter-spacing:.04em;color:var(--brick);margin:0}
.other{font:1.25rem/1.5 var(--serif);color:var(--soft);margin:0 0 .3rem}
.also{color:var(--soft);margin:.2rem 0 0}
.lead{font:1.15rem/1.65 var(--serif);margin:1.2rem 0 .4rem;max-width:42rem;white-space:pre-line}
.columns{display:flex;flex-direction:column}
.side{display:contents}.pictures{order:1;margin-top:1.2rem}.body{order:2}.side>section{order:3}.side>.pictures{order:1}
@media (min-width:60rem){.columns{display:grid;grid-template:auto 1fr/minmax(0,1fr) 21rem;grid-template-areas:"head side" "body side";gap:0 3rem}.head{grid-area:head}.body{grid-area:body;min-width:0}.side{grid-area:side;display:block;padding-top:.6rem}.pictures{margin-top:0}}
figure{margin:0 0 1rem}
figure img{display:block;width:100%;height:auto;max-height:34rem;object-fit:contain;background:var(--wash);border-radius:.4rem}
figcaption{font-size:.85rem;color:var(--soft);padding-top:.4rem}
.notice{border-left:.3rem solid var(--brick);background:var(--wash);padding:.7rem 1rem;margin:0 0 1.5rem;border-radius:0 .4rem .4rem 0}
dl.values{margin:0}
dl.values>div{padding:.85rem 0;border-bottom:1px solid var(--line)}
dl.values>div:last-child{border-bottom:0}
dl.values dt{font-size:.88rem;font-weight:600;color:var(--soft)}
dl.values dd{margin:.1rem 0 0}
@media (min-width:44rem){dl.values>div{display:grid;grid-template-columns:11.5rem minmax(0,1fr);gap:0 1.5rem}dl.values dt{padding-top:.15rem}}
.value{white-space:pre-line}
.from{font-size:.88rem;line-height:1.5;color:var(--soft);margin:.3rem 0 0;padding:0;list-style:none}
.from li{margin:.15rem 0}
.sure{font-weight:600;color:var(--doubt)}.sure.certain,.sure.likely{color:var(--good)}.sure.speculative{color:var(--bad)}
.rivals{margin:.55rem 0 0;padding:.55rem .85rem;background:var(--wash);border-radius:.4rem}
.rivals h3{margin:0 0 .2rem;font-size:.88rem}
.rivals ul{margin:0;padding:0;list-style:none}.rivals li+li{margin-top:.4rem}
ol.sources{padding-left:1.6rem;margin:0}ol.sources li{padding:.25rem 0}ol.sources li:target{background:var(--wash)}
ul.plain{list-style:none;margin:0;padding:0}ul.plain li{padding:.3rem 0}
ol.story{list-style:none;margin:0;padding:0}
ol.story>li{padding:.7rem 0 .7rem 1.1rem;border-left:2px solid var(--line)}
ol.story ul{margin:.3rem 0 0;padding-left:1.1rem;font-size:.92rem}
del{color:var(--soft)}ins{text-decoration:none;font-weight:600}
.cite{font:1rem/1.6 var(--serif);background:var(--wash);border-radius:.4rem;padding:.9rem 1.1rem;margin:0}
.small{font-size:.88rem;color:var(--soft)}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem;list-style:none;margin:0;padding:0}
.card{background:var(--card);border:1px solid var(--line);border-radius:.5rem;overflow:hidden;display:flex;flex-direction:column}
.card img{display:block;width:100%;height:10rem;object-fit:cover;background:var(--wash)}
.card div{padding:.8rem 1rem 1rem}
.card a{font:600 1.08rem/1.35 var(--serif);color:var(--ink);text-decoration:none}.card a:hover{text-decoration:underline}
.card p{margin:.15rem 0 0}
.hits{list-style:none;margin:0;padding:0}.hits li{padding:1rem 0;border-bottom:1px solid var(--line);display:flex;gap:1rem}
.hits img{flex:none;width:6rem;height:4.5rem;object-fit:cover;border-radius:.3rem;background:var(--wash)}
.hits a{font:600 1.15rem/1.35 var(--serif)}.hits p{margin:.1rem 0 0}
.pages{display:flex;justify-content:space-between;gap:1rem;margin:1.5rem 0 0}
.hero h1{text-wrap:wrap}
.hero{max-width:46rem;padding:1.5rem 0 .5rem}
.hero form.find{margin:1.4rem 0 0;max-width:none}
.hero input[type=search],.hero button{padding:.75rem 1.1rem;font-size:1.05rem}
.counts{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;margin:0;padding:0}
.counts a{display:inline-block;background:var(--card);border:1px solid var(--line);border-radius:2rem;padding:.35rem .95rem;text-decoration:none;color:var(--ink)}
.counts a:hover{border-color:var(--brick)}
.counts b{color:var(--brick);font-weight:600}
svg.map{display:block;width:100%;height:auto;background:var(--wash);border:1px solid var(--line);border-radius:.4rem}
svg .grid{stroke:var(--line);stroke-width:1}
svg .land{fill:var(--card);stroke:var(--soft);stroke-width:1}
svg .near{fill:var(--soft)}svg .here{fill:var(--brick);stroke:var(--card);stroke-width:3}
svg .about{fill:var(--brick);fill-opacity:.18;stroke:var(--brick);stroke-width:2;stroke-dasharray:6 5}
svg .town{fill:none;stroke:var(--soft);stroke-width:2}
svg text{fill:var(--ink);font:500 14px var(--sans)}svg .faint{fill:var(--soft);font-size:11px}
svg .bar{stroke:var(--ink);stroke-width:2;fill:none}
footer{border-top:1px solid var(--line);color:var(--soft);font-size:.9rem;padding:1.5rem 0 2.5rem}
footer p{margin:.3rem 0}
@media print{.top form,.tongue,.skip{display:none}body{background:#fff;color:#000}}
`

const digest = createHash('sha256').update(style).digest('base64')

/** What a page may load: pictures of this host, and the style that stands in it. No script runs, and nobody may frame it. */
const policy = [
  "default-src 'none'",
  "img-src 'self'",
  `style-src 'sha256-${digest}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every page. Its links tell other sites nothing of where a reader comes from. */
export const pageHeaders = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' }
