import type { routes } from '../../../functions/pictures.ts'
import { type Answers, made, ok } from '../answer.ts'
import { AnnouncedPicture, PictureFile, PictureManifest } from '../shapes/picture.ts'
import { TooLarge } from '../shapes/project.ts'

const manifest = { 200: { also: { 'application/ld+json': PictureManifest } } }

export const pictures: Answers<typeof routes> = {
  'POST /data/pictures/': {
    says: 'Send the file of a picture',
    more: 'A form with the file (JPEG, PNG or WebP) of up to 4.7 MB; larger ones are announced at `upload_url`. A contribution then names its `id` in `images`; a file that none names goes after three days.',
    gives: { ...made(PictureFile), 413: { shape: TooLarge } },
    refuses: [409, 429],
  },
  'POST /data/pictures/uploads/': {
    says: 'Announce the file of a picture of up to 50 MB',
    more: 'Post a form with the `fields` and then the file, as `file`, to `url` before `expires_at`; then complete the upload.',
    gives: made(AnnouncedPicture),
    refuses: [429],
  },
  'POST /data/pictures/uploads/{id}/complete/': {
    says: 'Complete the upload of the file of a picture',
    more: 'It is taken when it is what was announced. Completing twice answers the same.',
    gives: ok(PictureFile),
    refuses: [409, 410],
  },
  'GET /data/pictures/{id}/': { says: 'Read what is known of an own file', gives: ok(PictureFile) },
  'GET /data/manifests/records/{entity_id}/': {
    says: 'Read the pictures of a record as a IIIF manifest',
    more: 'IIIF Presentation 3.0, for any viewer. 404 where it has none.',
    gives: manifest,
  },
  'GET /data/manifests/projects/{slug}/': {
    says: 'Read the images of a project as a IIIF manifest',
    more: 'IIIF Presentation 3.0, for any viewer. 404 where it has none.',
    gives: manifest,
  },
}
