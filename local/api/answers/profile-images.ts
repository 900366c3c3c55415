import * as v from 'valibot'
import type { routes } from '../../../functions/profile-images.ts'
import { type Answers, ok } from '../answer.ts'
import { Detail } from '../shapes/common.ts'

export const profileImages: Answers<typeof routes> = {
  'POST /data/user/profile-image/': {
    says: 'Set the own picture',
    more: 'PNG, JPEG or WebP of up to 2 MB. The type is judged from the content.',
    gives: ok(v.object({ profile_image: v.nullable(v.string()) })),
  },
  'DELETE /data/user/profile-image/': { says: 'Remove the own picture', gives: ok(Detail) },
  'GET /data/user/{slug}/image/': {
    says: 'Read the picture of a user',
    gives: { 200: { types: ['image/png', 'image/jpeg', 'image/webp'], etag: true } },
  },
}
