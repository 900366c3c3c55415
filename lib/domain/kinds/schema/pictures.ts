import { lineReader, linesReader } from './texts.ts'
import { absentRef, type FieldForm, isAbsent, isObject, type JsonSchema, type Picture, Refusal } from './value.ts'

const MAX_PICTURES = 30

const uuid = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/

/** The texts of a picture, each with its maximal length in characters. */
const textLimits = { caption: 1000, creator: 300, licence: 200, date: 100 } as const

/**
 * A list of pictures in their order: each the id of an uploaded file, with caption, creator, licence and date. File and
 * licence are looked up later, in lib/domain/pictures/take.ts.
 */
export const pictures: FieldForm = {
  read: (value) => {
    if (!Array.isArray(value)) return new Refusal('Give a list of pictures.')
    if (value.length > MAX_PICTURES) return new Refusal(`Give no more than ${MAX_PICTURES} pictures.`)
    const list: Picture[] = []
    for (const item of value) {
      if (isAbsent(item) || isPreview(item)) continue
      const picture = readPicture(item)
      if (picture instanceof Refusal) return picture
      list.push(picture)
    }
    return list.length > 0 ? list : undefined
  },
  schema: () => ({ type: 'array', maxItems: MAX_PICTURES, items: { anyOf: [picture, preview, absentRef] } }),
}

/** The members of a picture that are read. Others get a warning. */
export const pictureMembers = ['id', ...Object.keys(textLimits), 'face']

/** A preview of a file that a form has not uploaded. It is left out, and the rest of the record is stored. */
const isPreview = (item: unknown) => isObject(item) && isAbsent(item.id) && !isAbsent(item.previewUrl)
const preview: JsonSchema = {
  type: 'object',
  required: ['previewUrl'],
  properties: { id: absentRef, previewUrl: { not: absentRef } },
}

function readPicture(item: unknown): Picture | Refusal {
  if (!isObject(item)) return new Refusal('Give each picture as an object with the id of its file.')
  if (typeof item.id !== 'string' || !uuid.test(item.id)) return noFileId
  const texts: Partial<Record<keyof typeof textLimits, string>> = {}
  for (const name of ['caption', 'creator', 'licence', 'date'] as const) {
    if (isAbsent(item[name])) continue
    const reader = name === 'caption' ? linesReader : lineReader
    const text = reader.read(item[name], textLimits[name])
    if (text instanceof Refusal) return new Refusal(`The ${name} of a picture: ${text.message}`)
    texts[name] = text.trim()
  }
  if (!isAbsent(item.face) && typeof item.face !== 'boolean')
    return new Refusal('The face of a picture: Give true or false.')
  return { id: item.id.toLowerCase(), ...texts, ...(item.face === true && { face: true as const }) }
}

const noFileId = new Refusal(
  'Give each picture the id of its file. Upload the file first: POST /data/pictures/ answers it.',
)

const picture: JsonSchema = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', pattern: uuid.source },
    caption: { anyOf: [linesReader.schema(textLimits.caption), absentRef] },
    creator: { anyOf: [lineReader.schema(textLimits.creator), absentRef] },
    licence: { anyOf: [lineReader.schema(textLimits.licence), absentRef] },
    date: { anyOf: [lineReader.schema(textLimits.date), absentRef] },
    face: { anyOf: [{ type: 'boolean' }, absentRef] },
  },
}
