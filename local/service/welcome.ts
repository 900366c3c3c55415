import * as v from 'valibot'
import { personas, roleOf } from '../../deploy/stand-ins/people.ts'

/** The lists on the page, by the segment of their address. */
const shown: Readonly<Record<string, string>> = {
  monuments: 'Monuments',
  structures: 'Structures',
  persons: 'People of the past',
  traditions: 'Traditions',
}
const PER_LIST = 4

const List = v.object({
  count: v.number(),
  results: v.array(
    v.object({
      id: v.number(),
      name: v.string(),
      description: v.optional(v.string(), ''),
      cultural_entity_id: v.string(),
    }),
  ),
})
type List = v.InferOutput<typeof List>

/** The welcome page: some records, what a visitor can do next, and the seeded people. */
export async function welcomePage(origin: string): Promise<string> {
  const lists = await Promise.all(
    Object.entries(shown).map(async ([segment, title]) => ({ segment, title, list: await loadList(origin, segment) })),
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Heritage knowledge service</title>
<style>${style}</style>
</head>
<body>
<h1>Heritage knowledge service</h1>
<p>It runs on this machine, with demonstration records. Whatever you change stays until <code>npm run reset</code>.</p>
<h2>What you can do next</h2>
<ul>
${next.map(([address, what]) => `<li><a href="${address}">${what}</a></li>`).join('\n')}
</ul>
<h2>Some records</h2>
${lists.map(section).join('\n')}
<h2>Sign in as one of the seeded people</h2>
<p>The page of the <a href="/docs/">API document</a> signs you in by address. Programs send the header <code>X-Dev-User</code>:</p>
<pre>curl -H 'X-Dev-User: dev@heritage.test' ${origin}/api/user/info</pre>
<table>
<tr><th>address</th><th>role</th></tr>
${personas.map((it) => `<tr><td>${it.email}</td><td>${roleOf(it)}</td></tr>`).join('\n')}
</table>
<p>Their password is <code>heritage-local</code>; the username is the part before the @.</p>
</body>
</html>
`
}

/** The address of the page, below the API. A deployment has no such page. */
export const WELCOME = '/welcome/'

const next: readonly (readonly [string, string])[] = [
  ['/docs/', 'Read and try every operation of the API'],
  ['/api/v1/data/search/?q=temple', 'Search for “temple”'],
  ['/api/v1/cidoc/monuments/', 'Read the list of monuments'],
  ['/api/v1/data/activities/', 'See what happened last'],
  ['/api/v1/cidoc/schema/registry/', 'See which kinds and fields there are'],
  ['/health/detailed/', 'See whether all parts are well'],
]

/** A list that cannot be read is left out. The page is shown all the same. */
async function loadList(origin: string, segment: string): Promise<List | undefined> {
  const answer = await fetch(`${origin}/api/v1/cidoc/${segment}/?limit=${PER_LIST}`).catch(() => undefined)
  const list = v.safeParse(List, await answer?.json().catch(() => undefined))
  return list.success ? list.output : undefined
}

function section({ segment, title, list }: { segment: string; title: string; list: List | undefined }): string {
  if (!list || list.count === 0) return ''
  const address = `/api/v1/cidoc/${segment}/`
  const items = list.results.map(
    ({ id, name, description, cultural_entity_id }) =>
      `<li><a href="${address}${id}/">${escapeSigns(name)}</a> ${escapeSigns(description)}
(<a href="/api/v1/data/entities/${encodeURIComponent(cultural_entity_id)}/explain/">why it says so</a>)</li>`,
  )
  return `<h3><a href="${address}">${title}</a> (${list.count})</h3>\n<ul>\n${items.join('\n')}\n</ul>`
}

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeSigns = (text: string) => text.replace(/[&<>"]/g, (sign) => signs[sign] ?? sign)

const style = `
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 16px / 1.5 sans-serif; }
li { margin: 0.25rem 0; }
th, td { padding: 0.25rem 1rem 0.25rem 0; text-align: left; }
pre { padding: 0.75rem; overflow-x: auto; background: #f3f3f3; }
`
