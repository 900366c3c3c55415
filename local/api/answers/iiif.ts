import type { routes } from '../../../functions/iiif.ts'
import { type Answers, content } from '../answer.ts'
import { ImageInfo } from '../shapes/picture.ts'

const LD = 'application/ld+json'

export const iiif: Answers<typeof routes> = {
  'GET /data/iiif/{image}/': { says: 'Where an image says what it is', gives: { 303: null } },
  'GET /data/iiif/{image}/info.json/': {
    says: 'What an image is, and what can be asked of it',
    more: 'IIIF Image API 3.0, level 2.',
    gives: { 200: { also: { [LD]: ImageInfo } } },
  },
  'GET /data/iiif/{image}/{region}/{size}/{rotation}/{file}/': {
    says: 'Draw an image, or a part of it, to a size',
    more: 'IIIF Image API 3.0, level 2. Drawn once and kept; nothing is larger than 4,096 pixels on a side. 303 leads to one that is too large for an answer.',
    gives: { ...content('image/jpeg', 'image/png', 'image/webp'), 303: null },
    headers: ['Link'],
  },
}
