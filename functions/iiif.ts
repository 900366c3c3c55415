import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { impossible } from '../lib/base/errors.ts'
import { imagePathOf } from '../lib/domain/pictures/view.ts'
import { derivativeKey, renderImage } from '../lib/doors/iiif/images.ts'
import { IMAGE_CONTEXT, IMAGE_PROFILE, ImageInfoView, imageInfo } from '../lib/doors/iiif/info.ts'
import { canonicalRequest, drawingOf } from '../lib/doors/iiif/request.ts'
import { sharingHeaders } from '../lib/doors/iiif/sharing.ts'
import { loadImage } from '../lib/doors/iiif/subjects.ts'
import { Undrawable } from '../lib/engines/media/index.ts'
import { preferredType } from '../lib/platform/http/accept.ts'
import { bytes } from '../lib/platform/http/answer.ts'
import { endpoint } from '../lib/platform/http/endpoint.ts'
import { JSON_TYPE } from '../lib/platform/http/media.ts'
import { jsonText, replyContent, replySeeOther } from '../lib/platform/http/reply.ts'
import { type Routes, readRoute } from '../lib/platform/http/route.ts'

const LD = 'application/ld+json'

const text = v.pipe(v.string(), v.maxLength(100))
const ByImage = v.object({ image: text })
const ofImage = ({ image }: { image: string }) => loadImage(image)

/** The IIIF Image API 3.0 (level 2) for the pictures of records and the images of projects. */
export const routes = {
  'GET /data/iiif/{image}/': readRoute({
    permission: 'picture.view',
    summary: 'Where an image says what it is',
    answer: { 303: null },
    params: ByImage,
    subject: ofImage,
    handle: async ({ params, request }) => replySeeOther(`${request.origin}${imagePathOf(params.image)}/info.json`),
  }),

  'GET /data/iiif/{image}/info.json/': readRoute({
    permission: 'picture.view',
    summary: 'What an image is, and what can be asked of it',
    description: 'IIIF Image API 3.0, level 2.',
    answer: { 200: { shape: ImageInfoView, also: { [LD]: ImageInfoView } } },
    params: ByImage,
    subject: ofImage,
    handle: async ({ params, subject, request }) =>
      replyContent(
        jsonText(imageInfo(`${request.origin}${imagePathOf(params.image)}`, subject.size, subject.rights)),
        // Clients whose `Accept` names neither JSON nor JSON-LD get JSON-LD (Image API 3.0, section 5.1).
        preferredType(request.headers.accept, [LD, JSON_TYPE]) === JSON_TYPE
          ? JSON_TYPE
          : `${LD};profile="${IMAGE_CONTEXT}"`,
        sharingHeaders(subject, request),
      ),
  }),

  'GET /data/iiif/{image}/{region}/{size}/{rotation}/{file}/': readRoute({
    permission: 'picture.view',
    summary: 'Draw an image, or a part of it, to a size',
    description:
      'IIIF Image API 3.0, level 2. Drawn once and kept; nothing is larger than 4,096 pixels on a side. 303 leads to one that is too large for an answer.',
    answer: { ...bytes('image/jpeg', 'image/png', 'image/webp'), 303: null },
    answerHeaders: ['Link'],
    params: v.object({ image: text, region: text, size: text, rotation: text, file: text }),
    subject: ofImage,
    handle: async ({ params, subject, request }) => {
      const wanted = drawingOf(subject.size, params)
      const image = await renderImage(subject.file, subject.object_key, wanted).catch((error: unknown) => {
        throw error instanceof Undrawable ? impossible(error.message) : error
      })
      const shared = sharingHeaders(subject, request)
      if ('location' in image) return replySeeOther(image.location)
      const canonical = `${request.origin}${imagePathOf(params.image)}/${canonicalRequest(subject.size, wanted)}`
      return replyContent(image.bytes, image.type, {
        ...shared,
        etag: tagOf(derivativeKey(subject.file, wanted)),
        link: `<${canonical}>;rel="canonical", <${IMAGE_PROFILE}>;rel="profile"`,
      })
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)

/** A drawn image never changes: its address names the source and how it is drawn. */
const tagOf = (key: string) => `"${createHash('sha256').update(key).digest('base64url').slice(0, 16)}"`
