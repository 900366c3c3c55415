import * as v from 'valibot'
import { notFound } from '../lib/base/errors.ts'
import * as s from '../lib/base/shapes.ts'
import * as files from '../lib/domain/pictures/files.ts'
import {
  pictureEndings,
  pictureTypeOf,
  readPictureFile,
  storePicture,
  storeUpload,
  uploadFormOf,
} from '../lib/domain/pictures/intake.ts'
import type { PictureFile } from '../lib/domain/pictures/items.ts'
import { fileView, PictureFileView } from '../lib/domain/pictures/view.ts'
import * as projects from '../lib/domain/projects/projects.ts'
import { recordItem } from '../lib/domain/records/items.ts'
import {
  manifestOfProject,
  manifestOfRecord,
  PictureManifestView,
  PRESENTATION_CONTEXT,
} from '../lib/doors/iiif/manifest.ts'
import { sharingHeaders } from '../lib/doors/iiif/sharing.ts'
import { displayName, isHeicName, memorySource, NO_HEIC } from '../lib/engines/media/index.ts'
import { get } from '../lib/engines/table/index.ts'
import { creation, ok, TooLargeView } from '../lib/platform/http/answer.ts'
import { announcedDigest, announcedSize, members, REQUIRED } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { ByEntity, ById, BySlug } from '../lib/platform/http/params.ts'
import { jsonText, replyContent, replyCreated } from '../lib/platform/http/reply.ts'
import { fileForm } from '../lib/platform/http/request.ts'
import { actorRoute, changeRoute, type Routes, readRoute } from '../lib/platform/http/route.ts'
import type { Subject } from '../lib/platform/permissions.ts'

/** The rate is that of project files (assets.ts). The counts are separate. */
const uploads = { scope: 'picture_upload', rate: 'RATE_UPLOADS', per: 'caller' } as const

const manifest = { 200: { also: { 'application/ld+json': PictureManifestView } } }

/** The media type of manifests. */
const MANIFEST = `application/ld+json;profile="${PRESENTATION_CONTEXT}"`

const Form = members({ file: v.instance(File, 'Send a file.') })
const NAMED = `The name must end in one of ${pictureEndings.join(', ')}.`
const Announced = members({
  file_name: v.pipe(
    v.string(REQUIRED),
    v.transform(displayName),
    v.check((name) => !isHeicName(name), NO_HEIC),
    v.check((name) => isHeicName(name) || pictureTypeOf(name) !== undefined, NAMED),
  ),
  size: announcedSize(files.MAX_PICTURE_BYTES),
  sha256: announcedDigest,
})

/** A file as the subject of permissions: it belongs to its sender. */
type Sent = Subject & { file: PictureFile; version: number }
const subjectOfFile = (file: PictureFile): Sent => ({
  file,
  contributor_id: file.uploaded_by,
  public: false,
  version: file.version,
})
const ofFile = async ({ id }: { id: string }) => {
  const file = await files.loadPictureFile(id)
  return file && subjectOfFile(file)
}

const AnnouncedPictureView = s.shape('AnnouncedPicture', () =>
  v.object({
    id: s.uuid,
    upload: v.object({ url: s.text, fields: v.record(s.text, s.text), expires_at: s.time }),
  }),
)

/** Files, which become pictures of records once a contribution names them, and manifests of records with pictures. */
export const routes = {
  'POST /data/pictures/': actorRoute({
    permission: 'picture.own',
    summary: 'Send the file of a picture',
    description:
      'A form with the file (JPEG, PNG or WebP) of up to 4.7 MB; larger ones are announced at `upload_url`. A contribution then names its `id` in `images`; a file that none names goes after three days.',
    answer: { ...creation(PictureFileView), 413: { shape: TooLargeView } },
    errors: [409],
    throttles: [{ ...uploads, counts: 'in the handler' }],
    form: fileForm,
    body: Form,
    idempotent: '24h',
    handle: async ({ unit, actor, body: { file }, count }) => {
      const source = memorySource(await file.bytes())
      const file_name = displayName(file.name)
      const taken = await readPictureFile(source, { file_name, sent_as: file.type })
      const content_type = pictureTypeOf(file_name) ?? taken.checked.content_type
      await count('picture_upload')
      const announced = { file_name, size: source.size, content_type, sha256: null }
      const begun = await unit.storeAhead('announced', (own) => files.announceFile(own, actor, announced, false))
      const facts = await unit.once('stored', () => storePicture(begun, taken))
      return replyCreated(fileView(await files.completeUpload(unit, begun, facts)))
    },
  }),

  'POST /data/pictures/uploads/': actorRoute({
    permission: 'picture.own',
    summary: 'Announce the file of a picture of up to 50 MB',
    description:
      'Post a form with the `fields` and then the file, as `file`, to `url` before `expires_at`; then complete the upload.',
    answer: creation(AnnouncedPictureView),
    throttles: [{ ...uploads, counts: 'every success' }],
    body: Announced,
    idempotent: '24h',
    handle: async ({ unit, actor, body }) => {
      const content_type = pictureTypeOf(body.file_name) ?? 'image/jpeg'
      const made = await files.announceFile(unit, actor, { ...body, content_type }, true)
      return replyCreated({ id: made.id, upload: await uploadFormOf(made) })
    },
  }),

  'POST /data/pictures/uploads/{id}/complete/': changeRoute({
    permission: 'picture.change',
    summary: 'Complete the upload of the file of a picture',
    description: 'It is taken when it is what was announced. Completing twice answers the same.',
    answer: ok(PictureFileView),
    errors: [409, 410],
    params: ById,
    subject: ofFile,
    idempotent: '24h',
    handle: async ({ unit, subject: { file }, actor }) => {
      // Completing twice gives the same picture.
      if (file.facts !== null) return fileView(file)
      const held = await unit.storeAhead(
        'held',
        (own) => files.holdPictureUpload(own, file, actor),
        files.releasePictureUpload,
      )
      const facts = await unit.once('stored', () => storeUpload(held))
      return fileView(await files.completeUpload(unit, held, facts))
    },
  }),

  'GET /data/pictures/{id}/': readRoute({
    permission: 'picture.read',
    summary: 'Read what is known of an own file',
    answer: ok(PictureFileView),
    params: ById,
    subject: ofFile,
    handle: async ({ subject }) => fileView(subject.file),
  }),

  'GET /data/manifests/records/{entity_id}/': readRoute({
    permission: 'picture.view',
    summary: 'Read the pictures of a record as a IIIF manifest',
    description: 'IIIF Presentation 3.0, for any viewer. 404 where it has none.',
    answer: manifest,
    params: ByEntity,
    subject: ({ entity_id }) => get(recordItem, { entity_id }),
    handle: async ({ subject, request }) =>
      manifestReply(manifestOfRecord(subject, request.origin), sharingHeaders(subject, request)),
  }),

  'GET /data/manifests/projects/{slug}/': readRoute({
    permission: 'picture.view',
    summary: 'Read the images of a project as a IIIF manifest',
    description: 'IIIF Presentation 3.0, for any viewer. 404 where it has none.',
    answer: manifest,
    params: BySlug,
    subject: ({ slug }) => projects.loadWhole(slug),
    handle: async ({ subject, request }) =>
      manifestReply(manifestOfProject(subject.about, subject.assets, request.origin), sharingHeaders(subject, request)),
  }),
} satisfies Routes

export const handler = endpoint(routes)

/** A manifest needs a canvas, so a record without a picture has none. */
function manifestReply<Manifest>(manifest: Manifest | undefined, headers: Record<string, string>) {
  if (!manifest) throw notFound('There are no pictures of it.')
  return replyContent(jsonText(manifest), MANIFEST, headers)
}
