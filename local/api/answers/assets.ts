import type { routes } from '../../../functions/assets.ts'
import { type Answers, made, nothing, ok, page } from '../answer.ts'
import { AnnouncedUpload, Asset, AssetRow, TooLarge } from '../shapes/project.ts'

export const assets: Answers<typeof routes> = {
  'GET /data/projects/{slug}/assets/': {
    says: 'List the files of a project, the oldest first',
    more: 'Without the texts that were read from them. `media_url` and `thumbnail_url` are good for 15 minutes.',
    gives: page(AssetRow),
  },
  'POST /data/projects/{slug}/assets/': {
    says: 'Add a file that is there already',
    more: '`media` is the number of the file, here or in another project that the caller sees.',
    gives: made(Asset),
    refuses: [410, 429],
  },
  'POST /data/projects/{slug}/assets/upload/': {
    says: 'Add a file',
    more: 'A form with the file, of up to 4.7 MB; larger ones are announced at `upload_url`. The type is judged from the content. With `run_ocr` the text of an image is read.',
    gives: { ...made(Asset), 413: { shape: TooLarge } },
    refuses: [410, 429],
  },
  'POST /data/projects/{slug}/assets/uploads/': {
    says: 'Announce a file of up to 50 MB',
    more: 'Post a form with the `fields` and then the file, as `file`, to `url` before `expires_at`; then complete the upload.',
    gives: made(AnnouncedUpload),
    refuses: [429],
  },
  'POST /data/projects/{slug}/assets/uploads/{asset_id}/complete/': {
    says: 'Complete the upload of a file that was announced',
    more: 'It becomes an asset when it is what was announced. 200 where it has become one before.',
    gives: { ...ok(Asset), ...made(Asset) },
    refuses: [410],
  },
  'GET /data/projects/{slug}/assets/{id}/': { says: 'Read an asset with its text', gives: ok(Asset) },
  'PATCH /data/projects/{slug}/assets/{id}/': {
    says: 'Change what is said of an asset',
    more: 'Only the members that are sent change; null or "" empties one.',
    gives: ok(Asset),
  },
  'DELETE /data/projects/{slug}/assets/{id}/': { says: 'Take an asset out of a project', gives: nothing },
  'POST /data/projects/{slug}/assets/{id}/start-ocr/': {
    says: 'Have the text of an image read',
    more: 'It is read later: `ocr_status` tells. An asset whose text is being read stays as it is.',
    gives: ok(Asset),
    refuses: [429],
  },
}
