import * as v from 'valibot'
import { newId } from '../lib/base/clock.ts'
import { invalid, notFound } from '../lib/base/errors.ts'
import {
  deleteObject,
  forgetLooseFile,
  getObject,
  type LooseFile,
  markLoose,
  withFile,
} from '../lib/engines/bucket/index.ts'
import {
  admitFile,
  type CheckedContent,
  memorySource,
  type Source,
  sniffType,
  storeFile,
} from '../lib/engines/media/index.ts'
import { DetailView, ok } from '../lib/platform/http/answer.ts'
import { members } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { uuid } from '../lib/platform/http/params.ts'
import { replyContent } from '../lib/platform/http/reply.ts'
import { actorRoute, publicRoute, type Routes } from '../lib/platform/http/route.ts'
import { inUnit } from '../lib/platform/unit-of-work.ts'
import { amendByPlan, load } from '../lib/platform/users/users.ts'
import { imageUrl } from '../lib/platform/users/views/profile.ts'

/** The largest image that is taken. */
const LARGEST = 2 * 1024 * 1024
/** What the gateway lets through at all; between the two the answer says what is wrong. */
const LARGEST_FORM = 4_500_000

/** The images of profiles. Apart from users.ts, so that only this bundle has a client for the bucket. */
export const routes = {
  'POST /data/user/profile-image/': actorRoute({
    permission: 'profile.change',
    summary: 'Set the own picture',
    description: 'PNG, JPEG or WebP of up to 2 MB. The type is judged from the content.',
    answer: ok(v.object({ profile_image: v.nullable(v.string()) })),
    form: { bytes: LARGEST_FORM },
    body: members({ profile_image: v.instance(File, 'Send an image file.') }, 'Send an image file.'),
    handle: async ({ actor, body, request }) => {
      const source = memorySource(await body.profile_image.bytes())
      const image = await checked(source)
      const profile_image = newId()
      const key = objectKey(actor.id, profile_image)
      const user = await withFile(key, async (file) => {
        await storeFile(key, source, image)
        return replace(actor.id, profile_image, file)
      })
      return { profile_image: user ? imageUrl(user, request.origin) : null }
    },
  }),

  'DELETE /data/user/profile-image/': actorRoute({
    permission: 'profile.change',
    summary: 'Remove the own picture',
    answer: ok(DetailView),
    says: ['detail'],
    handle: async ({ actor }) => {
      await replace(actor.id, '')
      return { detail: 'The profile image has been removed.' }
    },
  }),

  'GET /data/user/{slug}/image/': publicRoute({
    permission: 'profile.read',
    summary: 'Read the picture of a user',
    answer: { 200: { types: ['image/png', 'image/jpeg', 'image/webp'], etag: true } },
    cache: { control: 'public, max-age=300' },
    params: v.object({ slug: uuid }),
    handle: async ({ params }) => {
      const user = await load(params.slug)
      const image = user?.is_active && user.profile_image && (await getObject(objectKey(user.id, user.profile_image)))
      if (!user || !image) throw notFound()
      return replyContent(image.bytes, image.type, { etag: `"${user.profile_image}"` })
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

const objectKey = (user: string, image: string) => `profile-images/${user}/${image}`

/** Points the profile at another image; the old one goes last, so that no profile ever points at nothing. What stays of it the sweeper clears away. */
async function replace(id: string, profile_image: string, file?: LooseFile) {
  let old = ''
  const user = await inUnit((unit) =>
    amendByPlan(unit, id, async (it) => {
      // What was written and not told of.
      if (it.profile_image === profile_image) return { changes: {} }
      old = it.profile_image
      const also = [...(file ? [forgetLooseFile(file)] : []), ...(old ? [markLoose(objectKey(id, old))] : [])]
      return { changes: { profile_image }, also }
    }),
  )
  if (old) await deleteObject(objectKey(id, old)).catch(() => undefined)
  return user
}

/** An image from its first byte to its last, and nothing else. */
async function checked(source: Source): Promise<CheckedContent> {
  if (source.size > LARGEST) throw invalid({ profile_image: ['The image is larger than 2 MB.'] })
  const type = sniffType(source)
  if (!types.some((it) => it === type)) throw invalid({ profile_image: ['Send a PNG, JPEG or WebP image.'] })
  return admitFile(source, {}, { member: 'profile_image', types })
}

const types = ['image/png', 'image/jpeg', 'image/webp'] as const
