import type { Request } from '../http/request.ts'
import { kinds, proseFields } from '../kinds/index.ts'
import { textOf } from '../names/text.ts'
import type { RecordItem } from '../records/items.ts'
import type { Shown } from '../records/shown.ts'
import { viewOf } from './manifest.ts'

/** A record on a small page that a client shows in a frame: its names, its kind, where it is and what it is. */
export function previewOf(
  it: Shown<RecordItem>,
  origin: string,
  { language, say }: Pick<Request, 'language' | 'say'>,
): string {
  const { name, data, kind } = it
  const about = proseFields.map((each) => textOf(data[each])).find(Boolean) ?? ''
  const lines = [say(kinds[kind].label), textOf(data.location_name)].filter(Boolean).join(' · ')
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${escaped(name)}</title>
<style>body{font:14px/1.4 sans-serif;margin:.7em}h1{font-size:1.1em;margin:0}p{margin:.4em 0}.kind{color:#555}</style></head>
<body><h1><a href="${escaped(viewOf(origin, it.entity_id))}" target="_blank" rel="noopener">${escaped(name)}</a>
${data.name_ne ? `<span lang="ne">${escaped(textOf(data.name_ne))}</span>` : ''}</h1>
<p class="kind">${escaped(lines)}</p><p>${escaped(about.slice(0, 400))}</p></body>
</html>
`
}

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => signs[sign] ?? sign)
