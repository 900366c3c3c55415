import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { impossible } from '../lib/errors.ts'
import { Undrawable } from '../lib/files/drawing.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { content, Reply } from '../lib/http/reply.ts'
import { type Routes, readRoute } from '../lib/http/route.ts'
import { derivativeKey, imageOf } from '../lib/iiif/images.ts'
import { IMAGE_CONTEXT, IMAGE_PROFILE, imageInfo } from '../lib/iiif/info.ts'
import { canonicalRequest, drawingOf } from '../lib/iiif/request.ts'
import { sharing } from '../lib/iiif/sharing.ts'
import { loadImage } from '../lib/iiif/subjects.ts'
import { imagePathOf } from '../lib/pictures/view.ts'

const text = v.pipe(v.string(), v.maxLength(100))
const ByImage = v.object({ image: text })
const ofImage = ({ image }: { image: string }) => loadImage(image)

/** The IIIF Image API 3.0 (level 2) for the pictures of records and the images of projects. */
export const routes = {
  'GET /data/iiif/{image}/': readRoute({
    permission: 'picture.view',
    params: ByImage,
    subject: ofImage,
    handle: async ({ params, request }) =>
      new Reply(303, undefined, { location: `${request.origin}${imagePathOf(params.image)}/info.json` }),
  }),

  'GET /data/iiif/{image}/info.json/': readRoute({
    permission: 'picture.view',
    params: ByImage,
    subject: ofImage,
    handle: async ({ params, subject, request }) =>
      content(
        JSON.stringify(imageInfo(`${request.origin}${imagePathOf(params.image)}`, subject.size, subject.rights)),
        `application/ld+json;profile="${IMAGE_CONTEXT}"`,
        sharing(subject, request),
      ),
  }),

  'GET /data/iiif/{image}/{region}/{size}/{rotation}/{file}/': readRoute({
    permission: 'picture.view',
    params: v.object({ image: text, region: text, size: text, rotation: text, file: text }),
    subject: ofImage,
    handle: async ({ params, subject, request }) => {
      const wanted = drawingOf(subject.size, params)
      const image = await imageOf(subject.file, subject.object_key, wanted).catch((error: unknown) => {
        throw error instanceof Undrawable ? impossible(error.message) : error
      })
      const shared = sharing(subject, request)
      if ('location' in image) return new Reply(303, undefined, { location: image.location })
      const canonical = `${request.origin}${imagePathOf(params.image)}/${canonicalRequest(wanted)}`
      return content(image.bytes, image.type, {
        ...shared,
        etag: tagOf(derivativeKey(subject.file, wanted)),
        link: `<${canonical}>;rel="canonical", <${IMAGE_PROFILE}>;rel="profile"`,
      })
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

/** What is drawn is named by what it is drawn of and how: it never changes. */
const tagOf = (key: string) => `"${createHash('sha256').update(key).digest('base64url').slice(0, 16)}"`
