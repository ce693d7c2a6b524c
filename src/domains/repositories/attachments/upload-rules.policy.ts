/** The rules for uploaded files; sizes in bytes. */
export interface UploadRules {
  readonly enabled: boolean
  /** Extensions (`.zip`), media types (`image/png`), `image/*` or `*` + `/*`; an empty list allows all. */
  readonly allowedTypes: readonly string[]
  readonly maxBytes: number
  /** The maximum number of files of one issue, comment or release. */
  readonly maxFiles: number
}

/** Parses a setting: entries are separated by commas or bars. */
export const parseAllowedTypes = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[,|]/)
    .map((type) => type.trim())
    .filter(Boolean)

/** Whether the extension or the media type is allowed. `type` is undefined if there are no bytes to detect it from. */
export function isAllowedUpload({ allowedTypes }: UploadRules, name: string, type: string | undefined): boolean {
  if (allowedTypes.length === 0 || allowedTypes.includes('*/*') || allowedTypes.includes('*')) return true
  const dot = name.lastIndexOf('.')
  const extension = dot < 0 ? '' : name.slice(dot).toLowerCase()
  return allowedTypes.some((allowed) => {
    if (allowed.startsWith('.')) return allowed === extension
    if (type === undefined) return false
    return allowed.endsWith('/*') ? type.startsWith(allowed.slice(0, -1)) : allowed === type
  })
}

const MAX_NAME_BYTES = 255

/** Whether the name is one path segment without control characters. */
export function isSafeFileName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || Buffer.byteLength(name) > MAX_NAME_BYTES) return false
  return name.isWellFormed() && !/[\p{Cc}/\\]/u.test(name)
}
