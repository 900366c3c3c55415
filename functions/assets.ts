import '../lib/domain/composition.ts'
import * as v from 'valibot'
import { invalid, notFound } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import { parseBoolean } from '../lib/base/text.ts'
import { licenceOf, NO_LICENCE } from '../lib/domain/pictures/licences.ts'
import * as assets from '../lib/domain/projects/assets/assets.ts'
import { checkDepicted } from '../lib/domain/projects/assets/depicted.ts'
import type { AssetUpload } from '../lib/domain/projects/assets/upload-items.ts'
import * as uploads from '../lib/domain/projects/assets/uploads.ts'
import { AssetRowView, AssetView, assetRow, assetView } from '../lib/domain/projects/assets/view.ts'
import { assetRoles, isReadable, type ProjectSubject } from '../lib/domain/projects/items.ts'
import * as projects from '../lib/domain/projects/projects.ts'
import { knownTo, loadReferenced } from '../lib/domain/projects/referenced.ts'
import { withTables } from '../lib/doors/exports/list-tables.ts'
import { copyObject, createLinks, streamObject, uploadForm } from '../lib/engines/bucket/index.ts'
import type { CheckedContent } from '../lib/engines/media/index.ts'
import {
  admitFile,
  contentTypeOfName,
  contentTypes,
  displayName,
  type FileClaim,
  findContentType,
  mediaClasses,
  memorySource,
  type Source,
  storeFile,
  typeFacts,
  withSpool,
} from '../lib/engines/media/index.ts'
import type { UnitOfWork } from '../lib/engines/table/index.ts'
import { creation, empty, listOf, ok, TooLargeView } from '../lib/platform/http/answer.ts'
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
} from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { listBody } from '../lib/platform/http/page.ts'
import { BySlug, uuidText } from '../lib/platform/http/params.ts'
import { replyCreated, replyNoContent } from '../lib/platform/http/reply.ts'
import { fileForm } from '../lib/platform/http/request.ts'
import { changeRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'
import type { CountHits } from '../lib/platform/http/throttle.ts'
import type { Actor } from '../lib/platform/permissions.ts'

/** Seconds within which a client must send an announced file to the bucket. */
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
  v.check((it) => it === '' || mediaTypes.includes(it) || findContentType(it) !== undefined, chooseFrom(mediaTypes)),
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
/** True or false. A form can send them only as text. */
const run_ocr = v.pipe(
  v.nullish(v.union([v.boolean(), v.string()], 'Give true or false.'), false),
  v.transform((it) => parseBoolean(String(it)) === true),
)
const UploadForm = members({ file: v.instance(File, 'Send a file.'), media_type, run_ocr, ...AssetMetadata })
const file_name = v.pipe(
  v.string(REQUIRED),
  v.transform(displayName),
  v.check((it) => contentTypeOfName(it) !== undefined, `The name must end in one of ${endings().join(', ')}.`),
)
const sha256 = v.pipe(
  v.nullish(v.string('Not a valid text.'), ''),
  v.toLowerCase(),
  v.regex(/^([0-9a-f]{64})?$/, 'Give 64 hexadecimal digits.'),
  // For the API document: the pattern before letters are lowered.
  v.metadata({ pattern: '^([0-9A-Fa-f]{64})?$' }),
  v.transform((it) => it || null),
)
/** A client may name the file that it has sent by the bucket's tag of the file, or by its checksum. Any other file is refused. */
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

const AssetAddress = v.object({ ...BySlug.entries, id: uuidText })
const UploadAddress = v.object({ ...BySlug.entries, asset_id: uuidText })
const ofProject = ({ slug }: { slug: string }) => projects.loadProject(slug)
const ofAsset = ({ slug, id }: { slug: string; id: string }) => assets.loadAssetBySlug(slug, id)

/** The rate is that of pictures (pictures.ts). The counts are separate. */
const files = { scope: 'project_asset_upload', rate: 'RATE_UPLOADS', per: 'caller' } as const
const ocrRuns = {
  scope: 'ocr_run',
  rate: 'RATE_OCR',
  per: ({ subject }: { subject: ProjectSubject }) => subject.about.id,
} as const
/** If the project has no OCR run left today, a file is stored without its text. */
const ocrIfLeft = { ...ocrRuns, counts: 'in the handler', isOptional: true } as const
const runsOf = ({ subject }: { subject: assets.AssetSubject }) => (assets.startsOcr(subject) ? 1 : 0)

/** An announced upload. The client posts a form to the bucket: these fields, and then the file as `file`. */
const AnnouncedUploadView = s.shape('AnnouncedUpload', () =>
  v.object({
    asset_id: s.uuid,
    upload: v.object({ url: s.text, fields: v.record(v.string(), s.text), expires_at: s.time }),
  }),
)

/** The files of a project. */
export const routes = withTables({
  'GET /data/projects/{slug}/assets/': readRoute({
    permission: 'project.follow',
    summary: 'List the files of a project, the oldest first',
    description: 'Without the texts that were read from them. `media_url` and `thumbnail_url` are good for 15 minutes.',
    answer: listOf(AssetRowView),
    translatedPaths: ['results.*.ocr_error', 'results.*.thumbnail_error'],
    params: BySlug,
    subject: ofProject,
    handle: async ({ subject, page, actor, request }) => {
      const { people, head, results, ...listed } = await assets.listAssets(subject, page)
      const links = await createLinks()
      const context = { people, links, knows: knownTo(actor, head) }
      const rows = await Promise.all(results.map((it) => assetRow(it, context)))
      return listBody(request, page, { ...listed, results: rows })
    },
  }),

  'POST /data/projects/{slug}/assets/': changeRoute({
    permission: 'project.contribute',
    summary: 'Add a file that is there already',
    description: '`media` is the number of the file, here or in another project that the caller sees.',
    answer: creation(AssetView),
    errors: [410],
    params: BySlug,
    subject: ofProject,
    body: AnnouncedUpload,
    throttles: [{ ...files, counts: 'every success' }],
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body: { media, ...metadata } }) => {
      projects.checkOpen(subject.about)
      await checkDepicted(subject.about.id, metadata.depicts)
      const original = await assets.loadByMediaNumber(media, actor)
      const { file_name, size, content_type, sha256 } = original
      const announced = { ...metadata, file_name, size, content_type, sha256, run_ocr: false }
      const upload = await beginUpload(unit, subject, actor, announced)
      await unit.once('copy', () => copyObject(original.object_key, upload.object_keys[0] ?? ''))
      return replyCreated(await viewOf(await assets.reattachAsset(unit, subject, upload, original), actor))
    },
  }),

  'POST /data/projects/{slug}/assets/upload/': changeRoute({
    permission: 'project.contribute',
    summary: 'Add a file',
    description:
      'A form with the file, of up to 4.7 MB; larger ones are announced at `upload_url`. The type is judged from the content. With `run_ocr` the text of an image is read.',
    answer: { ...creation(AssetView), 413: { shape: TooLargeView } },
    errors: [410],
    params: BySlug,
    subject: ofProject,
    throttles: [{ ...files, counts: 'in the handler' }, ocrIfLeft],
    form: fileForm,
    body: UploadForm,
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body: { file, media_type, ...metadata }, count }) => {
      projects.checkOpen(subject.about)
      await checkDepicted(subject.about.id, metadata.depicts)
      const source = memorySource(await file.bytes())
      const file_name = displayName(file.name)
      const checked = await admitFile(source, { file_name, media_type, sent_as: file.type })
      await count('project_asset_upload')
      const { size, content_type } = { size: source.size, ...checked }
      const upload = await beginUpload(unit, subject, actor, {
        ...metadata,
        file_name,
        size,
        content_type,
        sha256: null,
      })
      const { stored, reads } = await unit.once('stored', () => storeAsset(upload, source, checked, count))
      return replyCreated(await viewOf(await assets.attachAsset(unit, subject, upload, stored, reads), actor))
    },
  }),

  'POST /data/projects/{slug}/assets/uploads/': changeRoute({
    permission: 'project.contribute',
    summary: 'Announce a file of up to 50 MB',
    description:
      'Post a form with the `fields` and then the file, as `file`, to `url` before `expires_at`; then complete the upload.',
    answer: creation(AnnouncedUploadView),
    params: BySlug,
    subject: ofProject,
    body: Announced,
    throttles: [{ ...files, counts: 'every success' }],
    idempotent: '24h',
    handle: async ({ unit, subject, actor, body: { media_type, ...announced } }) => {
      projects.checkOpen(subject.about)
      await checkDepicted(subject.about.id, announced.depicts)
      const content_type = announcedType(announced.file_name, media_type)
      const sent = { type: content_type, size: announced.size }
      const { id, pending_key } = await uploads.beginUpload(
        unit,
        subject.about,
        actor,
        { ...announced, content_type },
        true,
      )
      return replyCreated({ asset_id: id, upload: await uploadForm(pending_key ?? '', sent, FORM_SECONDS) })
    },
  }),

  'POST /data/projects/{slug}/assets/uploads/{asset_id}/complete/': changeRoute({
    permission: 'project.contribute',
    summary: 'Complete the upload of a file that was announced',
    description: 'It becomes an asset when it is what was announced. 200 where it has become one before.',
    answer: { ...ok(AssetView), ...creation(AssetView) },
    errors: [410],
    params: UploadAddress,
    subject: ofProject,
    throttles: [ocrIfLeft],
    body: Completed,
    idempotent: '24h',
    handle: async ({ unit, subject, actor, params, body, count }) => {
      const found = await uploads.loadUpload(subject.about.id, params.asset_id)
      if (!found?.pending_key) return completedBefore(subject, params.asset_id, actor)
      projects.checkOpen(subject.about)
      await uploads.checkUploader(found)
      const { pending_key } = found
      const upload = await unit.storeAhead(
        'held',
        (own) => uploads.holdAssetUpload(own, found),
        uploads.releaseAssetUpload,
      )
      const { stored, reads } = await unit.once('stored', () => storeSent(upload, pending_key, body, count))
      return replyCreated(await viewOf(await assets.attachAsset(unit, subject, upload, stored, reads), actor))
    },
  }),

  'GET /data/projects/{slug}/assets/{id}/': readRoute({
    permission: 'project.follow',
    summary: 'Read an asset with its text',
    answer: ok(AssetView),
    params: AssetAddress,
    subject: ofAsset,
    handle: async ({ subject, actor }) => viewOf(subject, actor),
  }),

  'PATCH /data/projects/{slug}/assets/{id}/': changeRoute({
    permission: 'project.contribute',
    summary: 'Change what is said of an asset',
    description: 'Only the members that are sent change; null or "" empties one.',
    answer: ok(AssetView),
    params: AssetAddress,
    subject: ofAsset,
    body: Part,
    handle: async ({ unit, subject, actor, body }) => {
      await checkDepicted(subject.about.id, body.depicts)
      const made = await assets.amendAsset(unit, subject, actor, body)
      return viewOf(made, actor)
    },
  }),

  'DELETE /data/projects/{slug}/assets/{id}/': changeRoute({
    permission: 'project.contribute',
    summary: 'Take an asset out of a project',
    answer: empty,
    params: AssetAddress,
    subject: ofAsset,
    handle: async ({ unit, subject, actor }) => {
      await assets.removeAsset(unit, subject, actor)
      return replyNoContent()
    },
  }),

  'POST /data/projects/{slug}/assets/{id}/start-ocr/': changeRoute({
    permission: 'project.contribute',
    summary: 'Have the text of an image read',
    description: 'It is read later: `ocr_status` tells. An asset whose text is being read stays as it is.',
    answer: ok(AssetView),
    params: AssetAddress,
    subject: ofAsset,
    throttles: [{ ...ocrRuns, counts: 'every success', hits: runsOf }],
    handle: async ({ unit, subject, actor }) => {
      const show = await viewer(subject, actor)
      return show(await assets.requestOcr(unit, subject, actor))
    },
  }),
} satisfies Routes)

export const handler = endpoint(routes)

function endings(): string[] {
  return contentTypes.flatMap((type) => typeFacts[type].endings.map((it) => `.${it}`))
}

/**
 * Stores the beginning of an upload in a unit of work of its own. If the request fails, the upload ends and its file is deleted; if
 * the process dies, the sweeper does both.
 */
const beginUpload = (
  unit: UnitOfWork,
  { about }: ProjectSubject,
  actor: Actor,
  announced: uploads.AnnouncedUpload,
): Promise<AssetUpload> =>
  unit.storeAhead('upload', (own) => uploads.beginUpload(own, about, actor, announced, false), uploads.endUpload)

/** Returns the content type that the ending of a file name stands for. Fails with `invalid` if `media_type` contradicts it. */
function announcedType(file_name: string, media_type: string): string {
  const type = contentTypeOfName(file_name) ?? 'image/jpeg'
  if (media_type && media_type !== typeFacts[type].of && findContentType(media_type) !== type)
    throw invalid({ media_type: [`A file of this name is ${type}.`] })
  return type
}

/** Stores the file for readers. Returns its facts, and as `reads` whether its text will be read: false if no OCR run is left today. */
async function storeAsset(upload: AssetUpload, source: Source, checked: CheckedContent, count: CountHits<'ocr_run'>) {
  const { content_type, width = null, height = null, orientation = null } = checked
  const object_key = upload.object_keys.at(-1) ?? ''
  const facts = await storeFile(object_key, source, checked)
  const media_type = typeFacts[content_type].of
  const reads = upload.run_ocr && isReadable({ media_type }) && (await count('ocr_run'))
  return { stored: { ...facts, content_type, media_type, width, height, orientation, object_key }, reads }
}

/**
 * Checks and stores the file that the client has sent to the bucket. It is read once, so the stored file is the checked one, even if
 * the client replaces it meanwhile.
 */
async function storeSent(
  upload: AssetUpload,
  pending_key: string,
  announced: v.InferOutput<typeof Completed>,
  count: CountHits<'ocr_run'>,
) {
  const sent = await streamObject(pending_key)
  if (!sent) throw invalid({ file: ['The file has not been sent yet.'] })
  if (announced.etag && bare(announced.etag) !== bare(sent.etag)) throw otherFile()
  const stored = await withSpool(sent.body, upload.size, async ({ source, sha256 }) => {
    if (source.size !== upload.size) throw otherSize()
    for (const expected of [upload.sha256, announced.sha256])
      if (expected !== null && expected !== sha256) throw otherFile()
    const claim: FileClaim = { file_name: upload.file_name, media_type: upload.content_type }
    return storeAsset(upload, source, await admitFile(source, claim), count)
  })
  if (!stored) throw otherSize()
  return stored
}

const otherFile = () => invalid({ file: ['The file is not the one that was announced: its checksum differs.'] })
const bare = (etag: string) => etag.replace(/"/g, '')
const otherSize = () => invalid({ file: ['The file is not the one that was announced: its size differs.'] })

/** Returns the asset of an upload that is complete already. Completing twice gives the same asset. */
async function completedBefore(subject: ProjectSubject, id: string, actor: Actor) {
  const asset = await assets.loadAsset(subject.about.id, id)
  if (!asset) throw notFound()
  return viewOf({ ...subject, asset }, actor)
}

type Shown = Pick<assets.AssetSubject, 'asset'>
const viewOf = async (it: Shown, actor: Actor | null) => (await viewer(it, actor))(it)

/** Returns a function that makes the view of an asset. It reads everything for the view now, before the change is committed. */
async function viewer({ asset }: Shown, actor: Actor | null) {
  const named = loadReferenced([asset.uploaded_by], asset.depicts ? [asset.depicts] : [])
  const [{ people, head }, links] = await Promise.all([named, createLinks()])
  return (it: Shown) => assetView(it.asset, { people, links, knows: knownTo(actor, head) })
}
