import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { drawing, mp3 } from '../harness/media-files.ts'
import { said } from './base.ts'
import { at, fileForm, post, type Row } from './operation.ts'
import { type Answer, send } from './requests.ts'
import type { Step } from './steps.ts'
import type { World } from './world/world.ts'

/** Files in all the ways in which they come, are refused and go. */
const PICTURE = await sharp(drawing(64, 48, 'Stone'))
  .png()
  .toBuffer()
const SONG = mp3()
const TABLE = Buffer.from('Temple name,Latitude,Longitude\r\nNyatapola,27.6713,85.4293\r\nDattatreya Temple,,\r\n')
/** A picture with other data, under a checksum of its own. */
function withData(change: (data: Buffer) => Buffer): Buffer {
  const from = PICTURE.indexOf('IDAT') - 4
  const to = from + 12 + PICTURE.readUInt32BE(from)
  const chunk = Buffer.concat([Buffer.from('IDAT'), change(PICTURE.subarray(from + 8, to - 4))])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(chunk.length - 4)
  sum.writeUInt32BE(crc32(chunk))
  return Buffer.concat([PICTURE.subarray(0, from), length, chunk, sum, PICTURE.subarray(to)])
}
/** Data that nobody can unpack, and data that is cut short behind its last pixel. */
const BROKEN = withData((data) => Buffer.alloc(data.length, 0x55))
const CUT_SHORT = withData((data) => data.subarray(0, data.length - 3))
/** So small that nobody can read it. */
export const SPECK = await sharp(drawing(4, 4, ''))
  .png()
  .toBuffer()
const picture = (name = 'stone.png', more: Record<string, string> = {}) => fileForm(PICTURE, name, 'image/png', more)

const last = (made: readonly Answer[]) => made.at(-1)?.body ?? {}
/** The client puts a file where an announced upload says. */
const sent = (bytes: Uint8Array, type: string): Step => ({
  does: (world, made) => {
    const { key } = last(made).upload.fields
    world.bucket.objects.set(key, { bytes: Buffer.from(bytes), type, at: world.now() })
  },
})
const announced = (
  path: string,
  file_name: string,
  bytes: Uint8Array,
  type: string,
  really = bytes,
): readonly Step[] => [post('dev', path, { file_name, size: bytes.length }), sent(really, type)]
/** What was sent is refused, and then the file that was announced lies there. */
const refused = (path: (id: string) => string, right: Uint8Array, type: string): readonly Step[] => [
  {
    does: async (world, made) => {
      const { asset_id, id } = last(made)
      const { status } = await send(world, post('dev', path(asset_id ?? id), {}))
      if (status !== 400) throw new Error(`another file was answered with ${status}`)
    },
  },
  sent(right, type),
]
/** Whatever works on imports does its work. */
const worked: Step = { does: (world: World) => world.function('importer') }
const table = (): Step => post('dev', '/data/imports/', fileForm(TABLE, 'temples.csv', 'text/csv'))
const mapping = { kind: 'structure', rules: [{ field: 'name', column: 'Temple name' }] }
const OTHER = Buffer.concat([SONG, Buffer.alloc(10)])

/** A picture that is not taken, and leaves nothing. */
const notTaken = (name: string, bytes: Buffer): Row => [
  name,
  400,
  'dev',
  'POST',
  (b) => at(b.projects.draft, 'assets/upload/'),
  () => fileForm(bytes, 'stone.png', 'image/png'),
  undefined,
  { changes: false },
]

export const fileRows: readonly Row[] = [
  ['upload a picture', 201, 'dev', 'POST', (b) => at(b.projects.draft, 'assets/upload/'), () => picture()],
  notTaken('upload a broken picture', BROKEN),
  notTaken('upload a picture that is cut short', CUT_SHORT),
  [
    'have a text read that nobody can read',
    200,
    'dev',
    'POST',
    (b, made) => at(b.projects.draft, `assets/${last(made).id}/start-ocr/`),
    undefined,
    (b) => [post('dev', at(b.projects.draft, 'assets/upload/'), fileForm(SPECK, 'speck.png', 'image/png'))],
  ],
  [
    'delete a picture before it is drawn',
    204,
    'dev',
    'DELETE',
    (b, made) => at(b.projects.draft, `assets/${last(made).id}/`),
    undefined,
    (b) => [post('dev', at(b.projects.draft, 'assets/upload/'), picture())],
    { atOnce: true },
  ],
  [
    'attach a file again to what is not in the project',
    400,
    'dev',
    'POST',
    (b) => at(b.projects.ready, 'assets/'),
    (b, made) => ({ media: made[0]?.body.media, depicts: b.open.cultural_entity_id }),
    (b) => [post('dev', at(b.projects.draft, 'assets/upload/'), picture())],
    { changes: false },
  ],
  [
    'announce a picture of what is not in the project',
    400,
    'dev',
    'POST',
    (b) => at(b.projects.draft, 'assets/uploads/'),
    (b) => ({ file_name: 'a.png', content_type: 'image/png', size: 1000, depicts: b.open.cultural_entity_id }),
    undefined,
    { changes: false },
  ],
  [
    'say that a file shows what is not in the project',
    400,
    'dev',
    'PATCH',
    (b) => at(b.projects.draft, `assets/${b.asset}/`),
    (b) => ({ depicts: b.open.cultural_entity_id }),
    undefined,
    { changes: false },
  ],
  [
    'send a table as a workbook',
    400,
    'dev',
    'POST',
    () => '/data/imports/',
    () => fileForm(TABLE, 'temples.xlsx', 'text/csv'),
    undefined,
    { changes: false },
  ],
  [
    'complete an upload',
    201,
    'dev',
    'POST',
    (b, made) => at(b.projects.draft, `assets/uploads/${last(made).asset_id}/complete/`),
    () => ({}),
    (b) => announced(at(b.projects.draft, 'assets/uploads/'), 'a.mp3', SONG, 'audio/mpeg'),
    { keyless: true },
  ],
  [
    'complete an upload with another file',
    400,
    'dev',
    'POST',
    (b, made) => at(b.projects.draft, `assets/uploads/${last(made).asset_id}/complete/`),
    () => ({}),
    (b) => announced(at(b.projects.draft, 'assets/uploads/'), 'a.mp3', SONG, 'audio/mpeg', OTHER),
    { keyless: true },
  ],
  [
    'complete an upload after another file',
    201,
    'dev',
    'POST',
    (b, made) => at(b.projects.draft, `assets/uploads/${last(made).asset_id}/complete/`),
    () => ({}),
    (b) => [
      ...announced(at(b.projects.draft, 'assets/uploads/'), 'a.mp3', SONG, 'audio/mpeg', OTHER),
      ...refused((id) => at(b.projects.draft, `assets/uploads/${id}/complete/`), SONG, 'audio/mpeg'),
    ],
    { keyless: true, atOnce: true },
  ],
  [
    'complete a picture after another file',
    200,
    'dev',
    'POST',
    (_, made) => `/data/pictures/uploads/${last(made).id}/complete/`,
    undefined,
    () => [
      ...announced('/data/pictures/uploads/', 'a.png', PICTURE, 'image/png', SONG),
      ...refused((id) => `/data/pictures/uploads/${id}/complete/`, PICTURE, 'image/png'),
    ],
    { keyless: true, atOnce: true },
  ],
  [
    'attach a file again',
    201,
    'dev',
    'POST',
    (b) => at(b.projects.ready, 'assets/'),
    (_, made) => ({ media: made[0]?.body.media }),
    (b) => [post('dev', at(b.projects.draft, 'assets/upload/'), picture())],
  ],
  [
    'have a text read',
    200,
    'dev',
    'POST',
    (b, made) => at(b.projects.draft, `assets/${last(made).id}/start-ocr/`),
    undefined,
    (b) => [post('dev', at(b.projects.draft, 'assets/upload/'), picture())],
  ],
  [
    'complete a picture',
    200,
    'dev',
    'POST',
    (_, made) => `/data/pictures/uploads/${last(made).id}/complete/`,
    undefined,
    () => announced('/data/pictures/uploads/', 'a.png', PICTURE, 'image/png'),
    { keyless: true },
  ],
  [
    'complete a picture with another file',
    400,
    'dev',
    'POST',
    (_, made) => `/data/pictures/uploads/${last(made).id}/complete/`,
    undefined,
    () => announced('/data/pictures/uploads/', 'a.png', PICTURE, 'image/png', SONG),
    { keyless: true },
  ],
  [
    'contribute with a picture',
    201,
    'dev',
    'POST',
    () => '/cidoc/structures/',
    (_, made) => ({ name: 'Pictured', images: [{ id: last(made).id }], assertion: said }),
    () => [post('dev', '/data/pictures/', picture())],
  ],
  [
    'look at a part of a picture',
    200,
    null,
    'GET',
    (_, made) => `${new URL(made[1]?.body.images[0].iiif, 'http://here').pathname}/full/20,/0/default.jpg`,
    undefined,
    (b) => [
      post('dev', '/data/pictures/', picture()),
      (made) => ({
        ...{ who: 'dev', method: 'PATCH', path: `/cidoc/structures/${b.pending.id}/` },
        sent: { body: { images: [{ id: last(made).id }], assertion: said } },
      }),
      post('curator', `/data/review-workspace/${b.pending.cultural_entity_id}/decide/`, { verdict: 'accept' }),
    ],
    { changes: false },
  ],
  [
    'register a source with a text',
    201,
    'dev',
    'POST',
    () => '/cidoc/data_sources/',
    () => fileForm(Buffer.from('Notes.'), 'notes.txt', 'text/plain', { name: 'With notes' }, 'uploaded_file'),
  ],
  [
    'register a source with a picture',
    201,
    'dev',
    'POST',
    () => '/cidoc/data_sources/',
    () => fileForm(PICTURE, 'stone.png', 'image/png', { name: 'With a picture' }, 'uploaded_file'),
  ],
  ['send a table', 201, 'dev', 'POST', () => '/data/imports/', () => fileForm(TABLE, 'temples.csv', 'text/csv')],
  [
    'announce a table',
    201,
    'dev',
    'POST',
    () => '/data/imports/uploads/',
    () => ({ file_name: 'temples.csv', size: TABLE.length }),
  ],
  [
    'complete a table',
    200,
    'dev',
    'POST',
    (_, made) => `/data/imports/uploads/${last(made).import_id}/complete/`,
    undefined,
    () => announced('/data/imports/uploads/', 'temples.csv', TABLE, 'text/csv'),
  ],
  [
    'say what columns mean',
    200,
    'dev',
    'PATCH',
    (_, made) => `/data/imports/${last(made).id}/`,
    () => ({ mapping: { ...mapping, sheet: 0, header_row: 1 } }),
    () => [table(), worked],
  ],
  [
    'have columns guessed for another kind',
    200,
    'dev',
    'PATCH',
    (_, made) => `/data/imports/${last(made).id}/`,
    () => ({ kind: 'deity' }),
    () => [table(), worked],
  ],
  [
    'name columns that are not there',
    400,
    'dev',
    'PATCH',
    (_, made) => `/data/imports/${last(made).id}/`,
    () => ({ mapping: { ...mapping, rules: [{ field: 'name', column: 'No such' }], sheet: 0, header_row: 1 } }),
    () => [table(), worked],
    { changes: false },
  ],
  [
    'drop a mapping',
    204,
    'dev',
    'DELETE',
    () => '/data/imports/mappings/mine/',
    undefined,
    () => [post('dev', '/data/imports/mappings/', { name: 'mine', mapping })],
  ],
  [
    'show oneself anew',
    200,
    'dev',
    'POST',
    () => '/data/user/profile-image/',
    () => fileForm(PICTURE, 'stone.png', 'image/png', {}, 'profile_image'),
    () => [post('dev', '/data/user/profile-image/', fileForm(PICTURE, 'stone.png', 'image/png', {}, 'profile_image'))],
  ],
  [
    'delete a picture of a project',
    204,
    'dev',
    'DELETE',
    (b, made) => at(b.projects.draft, `assets/${last(made).id}/`),
    undefined,
    (b) => [post('dev', at(b.projects.draft, 'assets/upload/'), picture())],
  ],
]
