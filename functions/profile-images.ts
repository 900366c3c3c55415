import * as v from 'valibot'
import { newId } from '../lib/clock.ts'
import { invalid, notFound } from '../lib/errors.ts'
import { admit, keep } from '../lib/files/admit.ts'
import { deleteObject, getObject } from '../lib/files/blobs.ts'
import { type Checked, sniff } from '../lib/files/media/check.ts'
import { inMemory, type Source } from '../lib/files/media/source.ts'
import { members } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { uuid } from '../lib/http/params.ts'
import { content } from '../lib/http/reply.ts'
import { actorRoute, publicRoute, type Routes } from '../lib/http/route.ts'
import { type LooseFile, lettingGoOf, named, withFile } from '../lib/loose-files.ts'
import { amendByPlan, load } from '../lib/users/users.ts'
import { imageUrl } from '../lib/users/views/profile.ts'

/** The largest image that is taken. */
const LARGEST = 2 * 1024 * 1024
/** What the gateway lets through at all; between the two the answer says what is wrong. */
const LARGEST_FORM = 4_500_000

/** The images of profiles. Apart from users.ts, so that only this bundle has a client for the bucket. */
export const routes = {
  'POST /data/user/profile-image/': actorRoute({
    permission: 'profile.change',
    form: { bytes: LARGEST_FORM },
    body: members({ profile_image: v.instance(File, 'Send an image file.') }, 'Send an image file.'),
    handle: async ({ actor, body, request }) => {
      const source = inMemory(await body.profile_image.bytes())
      const image = await checked(source)
      const profile_image = newId()
      const key = objectKey(actor.id, profile_image)
      const user = await withFile(key, async (file) => {
        await keep(key, source, image)
        return replace(actor.id, profile_image, file)
      })
      return { profile_image: user && imageUrl(user, request.origin) }
    },
  }),

  'DELETE /data/user/profile-image/': actorRoute({
    permission: 'profile.change',
    says: ['detail'],
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

/** Points the profile at another image; the old one goes last, so that no profile ever points at nothing. What stays of it the sweeper clears away. */
async function replace(id: string, profile_image: string, file?: LooseFile) {
  let old = ''
  const user = await amendByPlan(id, async (it) => {
    // What was written and not told of.
    if (it.profile_image === profile_image) return { changes: {} }
    old = it.profile_image
    const also = [...(file ? [named(file)] : []), ...(old ? [lettingGoOf(objectKey(id, old))] : [])]
    return { changes: { profile_image }, also }
  })
  if (old) await deleteObject(objectKey(id, old)).catch(() => undefined)
  return user
}

/** An image from its first byte to its last, and nothing else. */
async function checked(source: Source): Promise<Checked> {
  if (source.size > LARGEST) throw invalid({ profile_image: ['The image is larger than 2 MB.'] })
  const type = sniff(source)
  if (!types.some((it) => it === type)) throw invalid({ profile_image: ['Send a PNG, JPEG or WebP image.'] })
  return admit(source, {}, { member: 'profile_image', types })
}

const types = ['image/png', 'image/jpeg', 'image/webp'] as const
