import { phrase } from '../../base/language/languages.ts'
import { isForEveryone } from '../../base/visibility.ts'
import { type Field, kinds } from '../../domain/kinds/index.ts'
import { optionsOf } from '../../domain/kinds/schema/enums.ts'
import { labelsView } from '../../domain/labels/labels.ts'
import { textOf } from '../../domain/names/text.ts'
import type { DataSource } from '../../domain/sources/sources.ts'
import { shorten } from '../../engines/matching/index.ts'
import type { PageContext } from './context.ts'
import { framePage } from './frame.ts'
import { type Html, html, jsonBlock, type Part, webAddress } from './html.ts'

/** The page about a registered source: what it is, where it can be read, and what experts say of it. */
export function sourcePage(source: DataSource, context: PageContext): string {
  const { say, origin } = context
  const { data, name } = source
  const address = `${origin}${sourcePath(source)}`
  const citation = textOf(data.citation)
  return framePage({
    ...context,
    title: name,
    description: shorten(citation || `${say(kinds.data_source.label)}: ${name}`, 200),
    canonical: address,
    isUnlisted: !isForEveryone(source.access_tier) || source.deleted_at !== null,
    head: [
      html`<link rel="alternate" type="application/ld+json" href="${address}?format=jsonld">\n`,
      jsonBlock('application/ld+json', {
        ...{ '@context': 'https://schema.org', '@type': 'CreativeWork', '@id': address, url: address, name },
        ...(citation !== '' && { description: citation }),
        ...(textOf(data.author) !== '' && { author: textOf(data.author) }),
        ...(textOf(data.publication_year) !== '' && { datePublished: textOf(data.publication_year) }),
      }),
    ],
    main: html`${noticeOf(source, context)}
<article class="columns">
<div class="head">
<p class="kind">${say(kinds.data_source.label)}</p>
<h1><bdi>${name}</bdi></h1>
${citation !== '' && html`<p class="lead">${citation}</p>`}
</div>
<div class="body">
${labelsOf(source, context)}
<section aria-labelledby="values"><h2 id="values">${say(phrase('What is known'))}</h2>
<dl class="values">${valuesOf(source).map(({ field, value }) => html`<div><dt>${say(field.label)}</dt><dd><div class="value">${valueMarkup(field, value, context)}</div></dd></div>\n`)}</dl>
<p class="small">${say(phrase('Registered by'))} ${source.contributed_by} · <time datetime="${source.created_at}">${source.created_at.slice(0, 10)}</time></p></section>
</div>
<div class="side">
<section aria-labelledby="forms"><h2 id="forms">${say(phrase('Other forms'))}</h2><ul class="plain">
${source.upload && html`<li><a href="${sourcePath(source)}file/">${say(phrase('The document as a file'))}</a></li>`}
<li><a href="${sourcePath(source)}?format=json">JSON</a></li><li><a href="${sourcePath(source)}?format=jsonld">JSON-LD</a></li></ul></section>
</div>
</article>`,
  })
}

const sourcePath = ({ id }: DataSource) => `/cidoc/data_sources/${id}/`

/** Members that the page shows elsewhere, or that say nothing to a reader. */
const elsewhere = ['name', 'citation', 'access_tier', 'care_labels']

function valuesOf({ data }: DataSource): { field: Field; value: unknown }[] {
  return Object.entries(kinds.data_source.fields).flatMap(([name, field]) =>
    elsewhere.includes(name) || textOf(data[name]) === '' ? [] : [{ field, value: data[name] }],
  )
}

function valueMarkup({ vocabulary }: Field, value: unknown, { say }: PageContext): Part {
  const text = textOf(value)
  if (vocabulary) return say(optionsOf(vocabulary).find((it) => it.value === text)?.label ?? text)
  const address = webAddress(text)
  return address === undefined ? text : html`<a href="${address}" rel="nofollow noopener">${text}</a>`
}

const standings = {
  trusted: phrase('Experts hold that this source can be trusted.'),
  questioned: phrase('Experts have put this source in question.'),
  withdrawn: phrase('Experts have withdrawn this source: what rests on it alone does not stand.'),
}

/** What a reader must know before the rest. */
function noticeOf({ question, access_tier }: DataSource, { say }: PageContext): Part {
  return [
    question && html`<p class="notice">${say(standings[question.standing])} ${question.reason}</p>`,
    !isForEveryone(access_tier) &&
      html`<p class="notice">${say(phrase('Only people who are signed in see this.'))}</p>`,
  ]
}

function labelsOf({ labels }: DataSource, { say, language }: PageContext): Part {
  if (labels.length === 0) return null
  const lines = labelsView(labels).map((it): Html => {
    const [name, text] = language === 'ne' ? [it.name_ne, it.text_ne] : [it.name, it.text]
    return html`<li><strong>${name}</strong>${it.community !== '' && it.community !== name && ` (${it.community})`}: ${text}</li>`
  })
  return html`<section aria-labelledby="labels"><h2 id="labels">${say(phrase('How it may be used'))}</h2><ul class="plain">${lines}</ul></section>`
}
