import type { Form } from './form.ts'
import { line, lines } from './texts.ts'
import { absent, isAbsent, isObject, type Json, type Picture, Refused } from './value.ts'

/** So many pictures a record has at most. */
const most = 30

const uuid = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/

/** What is said of a picture in words, with how long it may be. */
const said = { caption: 1000, creator: 300, licence: 200, date: 100 } as const

/**
 * A list of pictures in their order, each the id of a file that was uploaded with what is said of it. That there is such
 * a file, and such a licence, is found out where the values are planned, as for the ids of relations.
 */
export const pictures: Form = {
  read: (value) => {
    if (!Array.isArray(value)) return new Refused('Give a list of pictures.')
    if (value.length > most) return new Refused(`Give no more than ${most} pictures.`)
    const found: Picture[] = []
    for (const item of value) {
      if (isAbsent(item) || isPreview(item)) continue
      const one = pictureIn(item)
      if (one instanceof Refused) return one
      found.push(one)
    }
    return found.length > 0 ? found : undefined
  },
  schema: () => ({ type: 'array', maxItems: most, items: { anyOf: [picture, preview, absent] } }),
}

/** What is read of a picture. */
export const pictureMembers = ['id', ...Object.keys(said), 'face']

/** What a form shows of a file that it has not sent: there is nothing to keep, and the rest of the record counts. */
const isPreview = (item: unknown) => isObject(item) && isAbsent(item.id) && !isAbsent(item.previewUrl)
const preview: Json = {
  type: 'object',
  required: ['previewUrl'],
  properties: { id: absent, previewUrl: { not: absent } },
}

function pictureIn(item: unknown): Picture | Refused {
  if (!isObject(item)) return new Refused('Give each picture as an object with the id of its file.')
  if (typeof item.id !== 'string' || !uuid.test(item.id)) return withoutFile
  const texts: Partial<Record<keyof typeof said, string>> = {}
  for (const name of ['caption', 'creator', 'licence', 'date'] as const) {
    if (isAbsent(item[name])) continue
    const form = name === 'caption' ? lines : line
    const text = form.read(item[name], said[name])
    if (text instanceof Refused) return new Refused(`The ${name} of a picture: ${text.message}`)
    texts[name] = text.trim()
  }
  if (!isAbsent(item.face) && typeof item.face !== 'boolean')
    return new Refused('The face of a picture: Give true or false.')
  return { id: item.id.toLowerCase(), ...texts, ...(item.face === true && { face: true as const }) }
}

const withoutFile = new Refused(
  'Give each picture the id of its file. Upload the file first: POST /data/pictures/ answers it.',
)

const picture: Json = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', pattern: uuid.source },
    caption: { anyOf: [lines.schema(said.caption), absent] },
    creator: { anyOf: [line.schema(said.creator), absent] },
    licence: { anyOf: [line.schema(said.licence), absent] },
    date: { anyOf: [line.schema(said.date), absent] },
    face: { anyOf: [{ type: 'boolean' }, absent] },
  },
}
