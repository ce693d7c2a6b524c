const MAX_REF_BYTES = 1024

// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^\/|\/$|\.$/

/**
 * The rules of git-check-ref-format(1) for a full name such as `refs/heads/main`. Pure; proven equal to git by a test.
 */
export function isValidRefName(name: string): boolean {
  return name.includes('/') && isValidRefPart(name)
}

/** The same without the rule that there must be a slash (`--allow-onelevel`). */
export function isValidRefPart(name: string): boolean {
  if (name === '' || name === '@' || FORBIDDEN.test(name)) return false
  if (Buffer.byteLength(name) > MAX_REF_BYTES || !name.isWellFormed()) return false
  return name
    .split('/')
    .every((part) => !part.startsWith('.') && !part.endsWith('.lock') && Buffer.byteLength(part) <= MAX_COMPONENT)
}

/** NOTE: git has no such limit, file systems do: a component and its `.lock` must fit in 255 bytes. */
const MAX_COMPONENT = 250

/** A short branch name: not an option, not HEAD, valid below refs/heads/ (git check-ref-format --branch). */
export function isValidBranchName(name: string): boolean {
  return !name.startsWith('-') && name !== 'HEAD' && isValidRefPart(name)
}

/** A short tag name. */
export function isValidTagName(name: string): boolean {
  return !name.startsWith('-') && name !== 'HEAD' && isValidRefPart(name)
}

/** A name that looks like a full object id, of either length. */
const ID_LIKE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i

/**
 * Whether a branch or tag may be created with this short name. Names that look like an object id exist in older and
 * imported repositories only: the id is what they mean wherever a revision is named.
 */
export const isNewRefName = (name: string): boolean => isValidBranchName(name) && !ID_LIKE.test(name)

export const branchRef = (name: string): string => `refs/heads/${name}`
export const tagRef = (name: string): string => `refs/tags/${name}`
