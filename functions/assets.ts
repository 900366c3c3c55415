import * as v from 'valibot'
import { booleanIn } from '../lib/booleans.ts'
import { config } from '../lib/config.ts'
import { invalid, notFound, orUndo } from '../lib/errors.ts'
import { withTables } from '../lib/exports/list-tables.ts'
import { admit, type Claim, keep } from '../lib/files/admit.ts'
import { copyObject, links, streamObject, uploadForm } from '../lib/files/blobs.ts'
import type { Checked } from '../lib/files/media/check.ts'
import { inMemory, type Source } from '../lib/files/media/source.ts'
import { contentTypes, mediaClasses, typeFacts, typeNamed, typeOfName } from '../lib/files/media/types.ts'
import { shownName } from '../lib/files/names.ts'
import { spooled } from '../lib/files/spool.ts'
import { answering, creating } from '../lib/http/answering.ts'
import {
  announcedSize,
  choice,
  chooseFrom,
  line,
  lines,
  members,
  optional,
  orEmpty,
  prose,
  REQUIRED,
} from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { listBody } from '../lib/http/page.ts'
import { BySlug, uuid } from '../lib/http/params.ts'
import { noContent } from '../lib/http/reply.ts'
import { fileForm } from '../lib/http/request.ts'
import { changeRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { withinRate } from '../lib/http/throttle.ts'
import type { Actor } from '../lib/permissions.ts'
import { licenceOf, NO_LICENCE } from '../lib/pictures/licences.ts'
import * as assets from '../lib/projects/assets/assets.ts'
import { checkDepicted } from '../lib/projects/assets/depicted.ts'
import type { Upload } from '../lib/projects/assets/upload-items.ts'
import * as uploads from '../lib/projects/assets/uploads.ts'
import { assetRow, assetView } from '../lib/projects/assets/view.ts'
import { assetRoles, isReadable, type Visited } from '../lib/projects/items.ts'
import * as projects from '../lib/projects/projects.ts'
import { peopleOf } from '../lib/users/people.ts'

/** How long a client may take to send a file to the bucket. */
const FORM_SECONDS = 3600

const record = v.pipe(
  v.string('Not a valid text.'),
  v.toLowerCase(),
  v.check((it) => it === '' || v.is(v.pipe(v.string(), v.uuid()), it), 'Give the review identity of a record, a UUID.'),
)
const depicts = v.pipe(
  orEmpty(record),
  v.transform((it) => it || null),
)
const licence = v.pipe(
  line(200),
  v.trim(),
  v.check((it) => it === '' || licenceOf(it) !== undefined, NO_LICENCE),
  v.transform((it) => licenceOf(it) ?? ''),
)
const text = (most: number) => orEmpty(v.pipe(line(most), v.trim()))
const mediaTypes: readonly string[] = [...mediaClasses, ...contentTypes]
const media_type = v.pipe(
  v.nullish(v.string('Not a valid text.'), ''),
  v.trim(),
  v.toLowerCase(),
  v.check((it) => it === '' || mediaTypes.includes(it) || typeNamed(it) !== undefined, chooseFrom(mediaTypes)),
)
const AssetMetadata = {
  role: v.optional(choice(assetRoles), 'evidence'),
  caption: prose(255),
  version_label: text(120),
  source_institution: text(200),
  collection_name: text(200),
  language: text(35),
  ocr_language: text(35),
  copyright_note: prose(500),
  depicts,
  creator: text(300),
  licence: orEmpty(licence),
  date: text(100),
}
/** In a form everything is text. */
const run_ocr = v.pipe(
  v.nullish(v.union([v.boolean(), v.string()], 'Give true or false.'), false),
  v.transform((it) => booleanIn(String(it)) === true),
)
const UploadForm = members({ file: v.instance(File, 'Send a file.'), media_type, run_ocr, ...AssetMetadata })
const file_name = v.pipe(
  v.string(REQUIRED),
  v.transform(shownName),
  v.check((it) => typeOfName(it) !== undefined, `The name must end in one of ${endings().join(', ')}.`),
)
const sha256 = v.pipe(
  v.nullish(v.string('Not a valid text.'), ''),
  v.toLowerCase(),
  v.regex(/^([0-9a-f]{64})?$/, 'Give 64 hexadecimal digits.'),
  // For the API document: as it may be sent, before it is folded.
  v.metadata({ pattern: '^([0-9A-Fa-f]{64})?$' }),
  v.transform((it) => it || null),
)
/** What a client may say so that nothing but the file it has sent is taken: the bucket's tag for it, or its checksum. */
const Completed = members({ etag: v.nullish(v.string('Not a valid text.'), ''), sha256 })
const Announced = members({
  file_name,
  size: announcedSize(uploads.LARGEST_UPLOAD),
  sha256,
  media_type,
  run_ocr,
  ...AssetMetadata,
})
const AnnouncedUpload = members({
  media: v.pipe(v.number('Give the number of a file.'), v.integer('Give the number of a file.')),
  ...AssetMetadata,
})
const word = (most: number) => optional(v.pipe(line(most), v.trim()))
const Part = members({
  role: v.exactOptional(choice(assetRoles)),
  caption: optional(lines(255)),
  version_label: word(120),
  source_institution: word(200),
  collection_name: word(200),
  language: word(35),
  ocr_language: word(35),
  copyright_note: optional(lines(500)),
  depicts: v.exactOptional(depicts),
  creator: word(300),
  licence: optional(licence),
  date: word(100),
})

const AssetAddress = v.object({ ...BySlug.entries, id: uuid })
const UploadAddress = v.object({ ...BySlug.entries, asset_id: uuid })
const ofProject = ({ slug }: { slug: string }) => projects.load(slug)
const ofAsset = ({ slug, id }: { slug: string; id: string }) => assets.load(slug, id)

/** The files of a project. */
export const routes = withTables({
  'GET /data/projects/{slug}/assets/': readRoute({
    permission: 'project.follow',
    says: ['results.*.ocr_error'],
    params: BySlug,
    subject: ofProject,
    handle: async ({ subject, page, request }) => {
      const { people, results, ...listed } = await assets.list(subject, page)
      const link = await links()
      const rows = await Promise.all(results.map((it) => assetRow(it, people, link)))
      return listBody(request, page, { ...listed, results: rows })
    },
  }),

  'POST /data/projects/{slug}/assets/': changeRoute({
    permission: 'project.contribute',
    params: BySlug,
    subject: ofProject,
    body: AnnouncedUpload,
    idempotent: '24h',
    handle: async ({ subject, actor, body: { media, ...metadata } }) => {
      projects.checkOpen(subject.about)
      await checkDepicted(subject.about.id, metadata.depicts)
      const original = await assets.loadByMediaNumber(media, actor)
      const { file_name, size, content_type, sha256 } = original
      const announced = { ...metadata, file_name, size, content_type, sha256, run_ocr: false }
      return counted(actor, async () => {
        const upload = await uploads.begin(subject.about, actor, announced, false)
        return orEnd(upload, async () => {
          await copyObject(original.object_key, upload.object_keys[0] ?? '')
          return creating(() => assets.attachAgain(subject, upload, original), viewOf)
        })
      })
    },
  }),

  'POST /data/projects/{slug}/assets/upload/': changeRoute({
    permission: 'project.contribute',
    params: BySlug,
    subject: ofProject,
    form: fileForm,
    body: UploadForm,
    idempotent: '24h',
    handle: async ({ subject, actor, body: { file, media_type, ...metadata } }) => {
      projects.checkOpen(subject.about)
      await checkDepicted(subject.about.id, metadata.depicts)
      const source = inMemory(await file.bytes())
      const file_name = shownName(file.name)
      const checked = await admit(source, { file_name, media_type, sent_as: file.type })
      return counted(actor, async () => {
        const { size, content_type } = { size: source.size, ...checked }
        const announced = { ...metadata, file_name, size, content_type, sha256: null }
        const upload = await uploads.begin(subject.about, actor, announced, false)
        return orEnd(upload, () => finish(subject, upload, source, checked))
      })
    },
  }),

  'POST /data/projects/{slug}/assets/uploads/': changeRoute({
    permission: 'project.contribute',
    params: BySlug,
    subject: ofProject,
    body: Announced,
    idempotent: '24h',
    handle: async ({ subject, actor, body: { media_type, ...announced } }) => {
      projects.checkOpen(subject.about)
      await checkDepicted(subject.about.id, announced.depicts)
      const content_type = announcedType(announced.file_name, media_type)
      const sent = { type: content_type, size: announced.size }
      return counted(actor, () =>
        creating(
          () => uploads.begin(subject.about, actor, { ...announced, content_type }, true),
          async ({ id, pending_key }) => ({
            asset_id: id,
            upload: await uploadForm(pending_key ?? '', sent, FORM_SECONDS),
          }),
        ),
      )
    },
  }),

  'POST /data/projects/{slug}/assets/uploads/{asset_id}/complete/': changeRoute({
    permission: 'project.contribute',
    params: UploadAddress,
    subject: ofProject,
    body: Completed,
    idempotent: '24h',
    handle: async ({ subject, params, body }) => {
      const found = await uploads.loadUpload(subject.about.id, params.asset_id)
      if (!found?.pending_key) return completedBefore(subject, params.asset_id)
      projects.checkOpen(subject.about)
      const { pending_key } = found
      const upload = await uploads.take(found)
      return orUndo(
        () => complete(subject, upload, pending_key, body),
        () => uploads.release(upload),
      )
    },
  }),

  'GET /data/projects/{slug}/assets/{id}/': readRoute({
    permission: 'project.follow',
    params: AssetAddress,
    subject: ofAsset,
    handle: async ({ subject }) => viewOf(subject),
  }),

  'PATCH /data/projects/{slug}/assets/{id}/': changeRoute({
    permission: 'project.contribute',
    params: AssetAddress,
    subject: ofAsset,
    body: Part,
    handle: async ({ subject, actor, body }) => {
      await checkDepicted(subject.about.id, body.depicts)
      return answering(() => assets.amend(subject, actor, body), viewOf)
    },
  }),

  'DELETE /data/projects/{slug}/assets/{id}/': changeRoute({
    permission: 'project.contribute',
    params: AssetAddress,
    subject: ofAsset,
    handle: async ({ subject, actor }) => {
      await assets.remove(subject, actor)
      return noContent()
    },
  }),

  'POST /data/projects/{slug}/assets/{id}/start-ocr/': changeRoute({
    permission: 'project.contribute',
    params: AssetAddress,
    subject: ofAsset,
    handle: async ({ subject, actor }) => {
      const show = await viewer(subject)
      return show(await assets.askForText(subject, actor, config.RATE_OCR))
    },
  }),
} satisfies Routes)

export const handler = endpoint(routes)

function endings(): string[] {
  return contentTypes.flatMap((type) => typeFacts[type].endings.map((it) => `.${it}`))
}

/** A file counts from where it is taken in, and no longer when that fails. */
const counted = <T>(actor: Actor, work: () => Promise<T>): Promise<T> =>
  withinRate('project_asset_upload', actor.id, config.RATE_UPLOADS, work)

/** What did not become an asset is cleared away: by ending its upload, or else by the sweeper. */
const orEnd = <T>(upload: Upload, work: () => Promise<T>): Promise<T> => orUndo(work, () => uploads.end(upload))

/** The type that the file's name means, which what the client says beside it must not contradict. */
function announcedType(file_name: string, media_type: string): string {
  const type = typeOfName(file_name) ?? 'image/jpeg'
  if (media_type && media_type !== typeFacts[type].of && typeNamed(media_type) !== type)
    throw invalid({ media_type: [`A file of this name is ${type}.`] })
  return type
}

/** Puts what readers get into the bucket, then makes the asset. */
async function finish(subject: Visited, upload: Upload, source: Source, checked: Checked) {
  const { content_type, width = null, height = null, orientation = null } = checked
  const object_key = upload.object_keys.at(-1) ?? ''
  const kept = await keep(object_key, source, checked)
  const media_type = typeFacts[content_type].of
  const reads =
    upload.run_ocr && isReadable({ media_type }) && (await assets.mayRead(subject.about.id, config.RATE_OCR))
  const stored = { ...kept, content_type, media_type, width, height, orientation, object_key }
  return creating(() => assets.attach(subject, upload, stored, reads), viewOf)
}

/**
 * Reads what the client has put into the bucket once, from beginning to end; what is checked is what is kept, whatever
 * comes to lie there meanwhile.
 */
async function complete(
  subject: Visited,
  upload: Upload,
  pending_key: string,
  announced: v.InferOutput<typeof Completed>,
) {
  const sent = await streamObject(pending_key)
  if (!sent) throw invalid({ file: ['The file has not been sent yet.'] })
  if (announced.etag && bare(announced.etag) !== bare(sent.etag)) throw otherFile()
  const made = await spooled(sent.body, upload.size, async ({ source, sha256 }) => {
    if (source.size !== upload.size) throw otherSize()
    for (const wanted of [upload.sha256, announced.sha256]) if (wanted !== null && wanted !== sha256) throw otherFile()
    const claim: Claim = { file_name: upload.file_name, media_type: upload.content_type }
    return finish(subject, upload, source, await admit(source, claim))
  })
  if (!made) throw otherSize()
  return made
}

const otherFile = () => invalid({ file: ['The file is not the one that was announced: its checksum differs.'] })
const bare = (etag: string) => etag.replace(/"/g, '')
const otherSize = () => invalid({ file: ['The file is not the one that was announced: its size differs.'] })

/** Completing twice gives the same asset. */
async function completedBefore(subject: Visited, id: string) {
  const asset = await assets.loadAsset(subject.about.id, id)
  if (!asset) throw notFound()
  return viewOf({ ...subject, asset })
}

type Shown = Pick<assets.Attached, 'asset'>
const viewOf = async (it: Shown) => (await viewer(it))(it)

/** Shows an asset, whatever comes of it: what is read for that is read now. */
async function viewer({ asset }: Shown) {
  const [people, link] = await Promise.all([peopleOf([asset.uploaded_by]), links()])
  return (it: Shown) => assetView(it.asset, people, link)
}
