import type { Picture } from '../../domain/kinds/index.ts'
import { imagePath, licenceAddress, thumbnailAt } from '../../domain/pictures/view.ts'
import type { Node } from './context.ts'
import type { LinkedStatement } from './statements.ts'

/** The pictures of a record, each with its address in the IIIF Image API. */
export const depictions = (owner: string, pictures: readonly Picture[], origin: string): LinkedStatement[] =>
  pictures.map((it) => ({ property: 'crm:P138i_has_representation', value: depiction(owner, it, origin) }))

function depiction(owner: string, it: Picture, origin: string): Node {
  const id = `${origin}${imagePath(owner, it.id)}`
  const size = { width: it.width ?? 0, height: it.height ?? 0 }
  const address = it.licence === undefined ? undefined : licenceAddress(it.licence)
  return {
    id,
    type: ['crm:E36_Visual_Item', 'foaf:Image'],
    ...(it.caption && { label: it.caption }),
    ...(it.creator && { 'dcterms:creator': it.creator }),
    ...(it.date && { 'dcterms:date': it.date }),
    ...(it.licence && { 'dcterms:license': address ? { id: address } : it.licence }),
    'exif:width': size.width,
    'exif:height': size.height,
    'foaf:thumbnail': { id: thumbnailAt(id, size).url },
    'dcterms:conformsTo': { id: 'http://iiif.io/api/image' },
  }
}
