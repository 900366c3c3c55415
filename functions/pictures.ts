import * as v from 'valibot'
import { config } from '../lib/config.ts'
import { notFound, orUndo } from '../lib/errors.ts'
import { isHeicName, NO_HEIC } from '../lib/files/developing.ts'
import { inMemory } from '../lib/files/media/source.ts'
import { shownName } from '../lib/files/names.ts'
import { answering, creating } from '../lib/http/answering.ts'
import { announcedDigest, announcedSize, members, REQUIRED } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { ByEntity, ById, BySlug } from '../lib/http/params.ts'
import { content } from '../lib/http/reply.ts'
import { fileForm } from '../lib/http/request.ts'
import { actorRoute, changeRoute, type Routes, readRoute } from '../lib/http/route.ts'
import { withinRate } from '../lib/http/throttle.ts'
import { manifestOfProject, manifestOfRecord, PRESENTATION_CONTEXT } from '../lib/iiif/manifest.ts'
import { sharing } from '../lib/iiif/sharing.ts'
import type { Actor, Subject } from '../lib/permissions.ts'
import * as files from '../lib/pictures/files.ts'
import { formFor, pictureEndings, pictureTypeOf, store, storeSent, takeIn } from '../lib/pictures/intake.ts'
import type { PictureFile } from '../lib/pictures/items.ts'
import { fileView } from '../lib/pictures/view.ts'
import * as projects from '../lib/projects/projects.ts'
import { recordItem } from '../lib/records/items.ts'
import { get } from '../lib/table/read.ts'

/** The media type of manifests. */
const MANIFEST = `application/ld+json;profile="${PRESENTATION_CONTEXT}"`

const Form = members({ file: v.instance(File, 'Send a file.') })
const NAMED = `The name must end in one of ${pictureEndings.join(', ')}.`
const Announced = members({
  file_name: v.pipe(
    v.string(REQUIRED),
    v.transform(shownName),
    v.check((name) => !isHeicName(name), NO_HEIC),
    v.check((name) => isHeicName(name) || pictureTypeOf(name) !== undefined, NAMED),
  ),
  size: announcedSize(files.LARGEST_PICTURE),
  sha256: announcedDigest,
})

/** A file as the subject of rules: it is its sender's. */
type Sent = Subject & { file: PictureFile; version: number }
const sent = (file: PictureFile): Sent => ({
  file,
  contributor_id: file.uploaded_by,
  public: false,
  version: file.version,
})
const ofFile = async ({ id }: { id: string }) => {
  const file = await files.load(id)
  return file && sent(file)
}

/** Files that become pictures of records, once a contribution names them; and the manifests of what has pictures. */
export const routes = {
  'POST /data/pictures/': actorRoute({
    permission: 'picture.own',
    form: fileForm,
    body: Form,
    idempotent: '24h',
    handle: async ({ actor, body: { file } }) => {
      const source = inMemory(await file.bytes())
      const file_name = shownName(file.name)
      const taken = await takeIn(source, { file_name, sent_as: file.type })
      const content_type = pictureTypeOf(file_name) ?? taken.checked.content_type
      return counted(actor, async () => {
        const begun = await files.begin(actor, { file_name, size: source.size, content_type, sha256: null }, false)
        const facts = await store(begun, taken)
        return creating(() => files.complete(begun, facts), fileView)
      })
    },
  }),

  'POST /data/pictures/uploads/': actorRoute({
    permission: 'picture.own',
    body: Announced,
    idempotent: '24h',
    handle: async ({ actor, body }) => {
      const content_type = pictureTypeOf(body.file_name) ?? 'image/jpeg'
      return counted(actor, () =>
        creating(
          () => files.begin(actor, { ...body, content_type }, true),
          async (made) => ({ id: made.id, upload: await formFor(made) }),
        ),
      )
    },
  }),

  'POST /data/pictures/uploads/{id}/complete/': changeRoute({
    permission: 'picture.change',
    params: ById,
    subject: ofFile,
    idempotent: '24h',
    handle: async ({ subject: { file } }) => {
      // Completing twice gives the same.
      if (file.facts !== null) return fileView(file)
      const held = await files.take(file)
      const completed = async () => {
        const facts = await storeSent(held)
        return answering(() => files.complete(held, facts), fileView)
      }
      return orUndo(completed, () => files.release(held))
    },
  }),

  'GET /data/pictures/{id}/': readRoute({
    permission: 'picture.read',
    params: ById,
    subject: ofFile,
    handle: async ({ subject }) => fileView(subject.file),
  }),

  'GET /data/manifests/records/{entity_id}/': readRoute({
    permission: 'picture.view',
    params: ByEntity,
    subject: ({ entity_id }) => get(recordItem, { entity_id }),
    handle: async ({ subject, request }) =>
      manifestReply(manifestOfRecord(subject, request.origin), sharing(subject, request)),
  }),

  'GET /data/manifests/projects/{slug}/': readRoute({
    permission: 'picture.view',
    params: BySlug,
    subject: ({ slug }) => projects.loadWhole(slug),
    handle: async ({ subject, request }) =>
      manifestReply(manifestOfProject(subject.about, subject.assets, request.origin), sharing(subject, request)),
  }),
} satisfies Routes

export const handler = endpoint(routes)

/** A manifest has at least one canvas: without a picture there is none. */
function manifestReply(manifest: object | undefined, headers: Record<string, string>) {
  if (!manifest) throw notFound('There are no pictures of it.')
  return content(JSON.stringify(manifest), MANIFEST, headers)
}

/** A file counts from where it is taken in, and no longer when that fails. */
const counted = <T>(actor: Actor, work: () => Promise<T>): Promise<T> =>
  withinRate('picture_upload', actor.id, config.RATE_UPLOADS, work)
