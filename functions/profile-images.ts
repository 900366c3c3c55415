import * as v from 'valibot'
import { deleteObject, getObject, putObject } from '../lib/blobs.ts'
import { newId } from '../lib/clock.ts'
import { invalid, notFound } from '../lib/errors.ts'
import { members, uuid } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { content } from '../lib/http/reply.ts'
import { actorRoute, publicRoute, type Routes } from '../lib/http/route.ts'
import { amendLatest, load } from '../lib/store/users.ts'
import { imageUrl } from '../lib/views/profile.ts'

/** Apart from users.ts, so that only this bundle has a client for the bucket. */
const LARGEST = 2 * 1024 * 1024
/** What the gateway lets through at all; between the two the answer says what is wrong. */
const LARGEST_FORM = 4_500_000

export const routes = {
  'POST /data/user/profile-image/': actorRoute({
    permission: 'profile.change',
    cache: 'no-store',
    form: { bytes: LARGEST_FORM },
    body: members({ profile_image: v.instance(File, 'Send an image file.') }, 'Send an image file.'),
    handle: async ({ actor, body, request }) => {
      const bytes = new Uint8Array(await body.profile_image.arrayBuffer())
      const type = checkedType(bytes)
      const profile_image = newId()
      await putObject(objectKey(actor.id, profile_image), bytes, type)
      const user = await replace(actor.id, profile_image)
      return { profile_image: user && imageUrl(user, request.origin) }
    },
  }),

  'DELETE /data/user/profile-image/': actorRoute({
    permission: 'profile.change',
    cache: 'no-store',
    handle: async ({ actor }) => {
      await replace(actor.id, '')
      return { detail: 'The profile image has been removed.' }
    },
  }),

  'GET /data/user/{slug}/image/': publicRoute({
    permission: 'profile.read',
    cache: { control: 'public, max-age=300' },
    params: v.object({ slug: uuid }),
    handle: async ({ params }) => {
      const user = await load(params.slug)
      const image = user?.is_active && user.profile_image && (await getObject(objectKey(user.id, user.profile_image)))
      if (!user || !image) throw notFound()
      return content(image.bytes, image.type, { etag: `"${user.profile_image}"` })
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

const objectKey = (user: string, image: string) => `profile-images/${user}/${image}`

/** Points the profile at another image; the old one goes last, so that no profile ever points at nothing. */
async function replace(id: string, profile_image: string) {
  let old = ''
  const user = await amendLatest(id, (it) => {
    old = it.profile_image
    return { profile_image }
  })
  if (old) await deleteObject(objectKey(id, old))
  return user
}

/** The type that the content shows, whatever the form says. */
function checkedType(bytes: Uint8Array): string {
  if (bytes.length > LARGEST) throw invalid({ profile_image: ['The image is larger than 2 MB.'] })
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  const type = signatures.find(({ pattern }) => pattern.test(head))?.type
  if (!type) throw invalid({ profile_image: ['Send a PNG, JPEG or WebP image.'] })
  return type
}

const signatures = [
  { type: 'image/png', pattern: /^\x89PNG\r\n\x1a\n/ },
  { type: 'image/jpeg', pattern: /^\xff\xd8\xff/ },
  { type: 'image/webp', pattern: /^RIFF[\s\S]{4}WEBP/ },
]
