import { kinds, proseFields } from '../../domain/kinds/index.ts'
import { textOf } from '../../domain/names/text.ts'
import type { RecordItem } from '../../domain/records/items.ts'
import type { Visible } from '../../domain/records/shown.ts'
import type { Request } from '../../platform/http/request.ts'
import { viewOf } from './manifest.ts'

/** A small HTML page about a record, which a client shows in a frame: names, kind, place and summary. */
export function previewOf(
  it: Visible<RecordItem>,
  origin: string,
  { language, say }: Pick<Request, 'language' | 'say'>,
): string {
  const { name, data, kind } = it
  const summary = proseFields.map((each) => textOf(data[each])).find(Boolean) ?? ''
  const lines = [say(kinds[kind].label), textOf(data.location_name)].filter(Boolean).join(' · ')
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><title>${escapeSigns(name)}</title>
<style>body{font:14px/1.4 sans-serif;margin:.7em}h1{font-size:1.1em;margin:0}p{margin:.4em 0}.kind{color:#555}</style></head>
<body><h1><a href="${escapeSigns(viewOf(origin, it.entity_id))}" target="_blank" rel="noopener">${escapeSigns(name)}</a>
${data.name_ne ? `<span lang="ne">${escapeSigns(textOf(data.name_ne))}</span>` : ''}</h1>
<p class="kind">${escapeSigns(lines)}</p><p>${escapeSigns(summary.slice(0, 400))}</p></body>
</html>
`
}

const htmlEntities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeSigns = (text: string) => text.replace(/[&<>"']/g, (sign) => htmlEntities[sign] ?? sign)
