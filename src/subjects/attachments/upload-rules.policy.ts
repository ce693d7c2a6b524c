/** What files may be uploaded somewhere; sizes in bytes. */
export interface UploadRules {
  readonly enabled: boolean
  /** Extensions (`.zip`), media types (`image/png`), `image/*` or `*` + `/*`; none allows all. */
  readonly allowedTypes: readonly string[]
  readonly maxBytes: number
}

/** Reads a setting: entries between commas or bars. */
export const parseAllowedTypes = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[,|]/)
    .map((type) => type.trim())
    .filter(Boolean)

/**
 * The extension or the type that the first bytes show must be allowed; `type` is undefined where there are no bytes to
 * tell by.
 */
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

/** A name is the last part of a path at most: nothing that leads elsewhere, nothing that cannot be seen. */
export function isSafeFileName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || Buffer.byteLength(name) > MAX_NAME_BYTES) return false
  return name.isWellFormed() && !/[\p{Cc}/\\]/u.test(name)
}
