/** The accepted types of files. */
export const contentTypes = [
  'image/jpeg',
  'image/png',
  'image/webp',
  'application/pdf',
  'audio/mpeg',
  'video/mp4',
] as const
export type ContentType = (typeof contentTypes)[number]
export const mediaClasses = ['image', 'video', 'audio', 'document'] as const
export type MediaClass = (typeof mediaClasses)[number]

/** The class of a type, its endings, and other names of it. */
type Facts = { of: MediaClass; endings: readonly string[]; aliases: readonly string[] }
export const typeFacts: Readonly<Record<ContentType, Facts>> = {
  'image/jpeg': { of: 'image', endings: ['jpg', 'jpeg'], aliases: ['image/jpg', 'image/pjpeg'] },
  'image/png': { of: 'image', endings: ['png'], aliases: ['image/x-png'] },
  'image/webp': { of: 'image', endings: ['webp'], aliases: [] },
  'application/pdf': { of: 'document', endings: ['pdf'], aliases: ['application/x-pdf'] },
  'audio/mpeg': { of: 'audio', endings: ['mp3'], aliases: ['audio/mp3', 'audio/x-mpeg', 'audio/x-mp3'] },
  'video/mp4': { of: 'video', endings: ['mp4'], aliases: ['application/mp4'] },
}

/** Finds a type by its name or another name of it, such as `image/jpg`. Undefined for other names. */
export const findContentType = (name: string): ContentType | undefined =>
  contentTypes.find((type) => type === name || typeFacts[type].aliases.includes(name))

/** Finds the type of a file by the ending of its name. Undefined if no accepted type has the ending. */
export const contentTypeOfName = (file_name: string): ContentType | undefined => {
  const ending = /\.([a-z0-9]+)$/i.exec(file_name)?.[1]?.toLowerCase()
  return contentTypes.find((type) => ending !== undefined && typeFacts[type].endings.includes(ending))
}
