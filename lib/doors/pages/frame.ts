import type { Say } from '../../base/language/catalogue.ts'
import { type Language, phrase } from '../../base/language/languages.ts'
import type { PageContext } from './context.ts'
import { type Html, html, ownMarkup } from './html.ts'
import { style } from './style.ts'

type Page = PageContext & {
  title: string
  description?: string
  canonical?: string
  /** Further elements of the head. */
  head?: readonly Html[]
  main: Html
  /** Whether search engines leave it out. */
  isUnlisted?: boolean
  /** Whether the header has no search: the page has one itself. */
  hasOwnSearch?: boolean
}

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', ne: 'नेपाली' }

/** The name of the service as readers see it. */
export const serviceName = (say: Say): string => say(phrase('Heritage knowledge of Nepal'))

/** A whole page: head, header with search and languages, the content, footer. */
export function framePage(page: Page): string {
  const { language, say, title, description, canonical, head = [], main, isUnlisted, hasOwnSearch } = page
  const name = serviceName(say)
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title === name ? name : `${title} – ${name}`}</title>
${description && html`<meta name="description" content="${description}">`}
${isUnlisted && html`<meta name="robots" content="noindex">`}
${canonical && html`<link rel="canonical" href="${canonical}">`}
${Object.keys(LANGUAGE_NAMES).map((code) => html`<link rel="alternate" hreflang="${code}" href="${page.origin}${languageLink(page, code)}">`)}
${head}
<style>${ownMarkup(style)}</style>
</head>
<body>
<a class="skip" href="#content">${say(phrase('Skip to the content'))}</a>
<header class="top"><div class="wrap">
<a class="brand" href="${withLanguage('/', page)}">${name}</a>
${hasOwnSearch ? null : searchForm(page)}
<nav class="tongue" aria-label="${say(phrase('Language'))}">${otherLanguages(page)}</nav>
</div></header>
<main id="content" class="wrap">
${main}
</main>
<footer><div class="wrap">
<p>${say(phrase('What stands here was contributed and reviewed by people. Each value names its source.'))}</p>
<p><a href="/docs/">${say(phrase('For programs'))}</a> · <a href="/data/exports/">${say(phrase('All of it as files'))}</a> · <a href="/sitemap.xml">${say(phrase('Sitemap'))}</a></p>
</div></footer>
</body>
</html>
`.text
}

/** The form that searches. Without a script, the browser sends it to the page of results. */
export const searchForm = ({ say, language, query }: PageContext, id = 'q'): Html =>
  html`<form class="find" role="search" action="/resource/" method="get"><label class="unseen" for="${id}">${say(phrase('Search'))}</label><input id="${id}" type="search" name="q" value="${query.q ?? ''}" placeholder="${say(phrase('A temple, a deity, a festival…'))}" maxlength="200">${query.lang === undefined ? null : html`<input type="hidden" name="lang" value="${language}">`}<button>${say(phrase('Search'))}</button></form>`

const otherLanguages = (page: PageContext): Html[] =>
  Object.entries(LANGUAGE_NAMES).flatMap(([code, name]) =>
    code === page.language
      ? []
      : [html`<a lang="${code}" hreflang="${code}" href="${languageLink(page, code)}">${name}</a>`],
  )

/** The address of the same page in another language. */
function languageLink({ path, query }: PageContext, code: string): string {
  const search = new URLSearchParams({ ...query, lang: code })
  search.delete('format')
  return `${path}?${search}`
}

/** A path with the language, if the reader has chosen it by a link. Otherwise the header `Accept-Language` decides. */
export function withLanguage(path: string, { query, language }: Pick<PageContext, 'query' | 'language'>): string {
  if (query.lang === undefined) return path
  return `${path}${path.includes('?') ? '&' : '?'}lang=${language}`
}
