import * as v from 'valibot'
import { newId } from '../lib/base/clock.ts'
import { invalid, notFound } from '../lib/base/errors.ts'
import { deleteObject, getObject, markLoose, storeInUnit } from '../lib/engines/bucket/index.ts'
import {
  admitFile,
  type CheckedContent,
  memorySource,
  type Source,
  sniffType,
  storeFile,
} from '../lib/engines/media/index.ts'
import type { UnitOfWork } from '../lib/engines/table/index.ts'
import { DetailView, ok } from '../lib/platform/http/answer.ts'
import { members } from '../lib/platform/http/body.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { uuidText } from '../lib/platform/http/params.ts'
import { replyContent } from '../lib/platform/http/reply.ts'
import { actorRoute, publicRoute, type Routes } from '../lib/platform/http/route.ts'
import { amendUserByPlan, loadUser } from '../lib/platform/users/users.ts'
import { imageUrl } from '../lib/platform/users/views/profile.ts'

/** The most bytes of an image. */
const LARGEST = 2 * 1024 * 1024
/** The most bytes of the form. The handler refuses an image between `LARGEST` and this with a message. */
const LARGEST_FORM = 4_500_000

/** The images of profiles. They are not in users.ts, so that its bundle has no code for images. */
export const routes = {
  'POST /data/user/profile-image/': actorRoute({
    permission: 'profile.change',
    summary: 'Set the own picture',
    description: 'PNG, JPEG or WebP of up to 2 MB. The type is judged from the content.',
    answer: ok(v.object({ profile_image: v.nullable(v.string()) })),
    form: { bytes: LARGEST_FORM },
    body: members({ profile_image: v.instance(File, 'Send an image file.') }, 'Send an image file.'),
    handle: async ({ unit, actor, body, request }) => {
      const source = memorySource(await body.profile_image.bytes())
      const content = await checkImage(source)
      const image = await unit.once('image id', async () => newId())
      await storeInUnit(unit, objectKey(actor.id, image), (key) => storeFile(key, source, content))
      const user = await replaceImage(unit, actor.id, image)
      return { profile_image: user ? imageUrl(user, request.origin) : null }
    },
  }),

  'DELETE /data/user/profile-image/': actorRoute({
    permission: 'profile.change',
    summary: 'Remove the own picture',
    answer: ok(DetailView),
    translatedPaths: ['detail'],
    handle: async ({ unit, actor }) => {
      await replaceImage(unit, actor.id, '')
      return { detail: 'The profile image has been removed.' }
    },
  }),

  'GET /data/user/{slug}/image/': publicRoute({
    permission: 'profile.read',
    summary: 'Read the picture of a user',
    answer: { 200: { types: ['image/png', 'image/jpeg', 'image/webp'], etag: true } },
    cache: { control: 'public, max-age=300' },
    params: v.object({ slug: uuidText }),
    handle: async ({ params }) => {
      const user = await loadUser(params.slug)
      const image = user?.is_active && user.profile_image && (await getObject(objectKey(user.id, user.profile_image)))
      if (!user || !image) throw notFound()
      return replyContent(image.bytes, image.type, { etag: `"${user.profile_image}"` })
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

const objectKey = (user: string, image: string) => `profile-images/${user}/${image}`

/**
 * Sets the image of a profile; an empty text removes it. The file of the old image is deleted after the commit, so a profile never
 * names a file that is gone. If the process dies before that, the sweeper deletes the file.
 */
const replaceImage = (unit: UnitOfWork, id: string, profile_image: string) =>
  amendUserByPlan(unit, id, async (user) => {
    if (user.profile_image === '' || user.profile_image === profile_image) return { changes: { profile_image } }
    const old = objectKey(id, user.profile_image)
    unit.afterCommit(() => deleteObject(old))
    return { changes: { profile_image }, also: [markLoose(old)] }
  })

/** Checks the file from its first byte to its last. Fails with `invalid` if it is no image of an accepted type. */
async function checkImage(source: Source): Promise<CheckedContent> {
  if (source.size > LARGEST) throw invalid({ profile_image: ['The image is larger than 2 MB.'] })
  const type = sniffType(source)
  if (!types.some((it) => it === type)) throw invalid({ profile_image: ['Send a PNG, JPEG or WebP image.'] })
  return admitFile(source, {}, { member: 'profile_image', types })
}

const types = ['image/png', 'image/jpeg', 'image/webp'] as const
