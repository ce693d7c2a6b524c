/** The object that a Git LFS pointer file refers to. */
export interface LfsPointer {
  /** SHA-256, hex. */
  readonly oid: string
  /** Bytes. */
  readonly size: number
}

/** Larger files are not pointers (git-lfs specification). */
export const MAX_POINTER_SIZE = 1024

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-\d-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n/

/** The text of a pointer in the format of git-lfs. */
export const pointerText = ({ oid, size }: LfsPointer): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`

export function parseLfsPointer(content: Buffer): LfsPointer | undefined {
  if (content.length > MAX_POINTER_SIZE || content[0] !== 0x76) return undefined
  const match = POINTER.exec(content.toString('latin1'))
  return match ? { oid: match[1]!, size: Number(match[2]) } : undefined
}

/** The pointer files that represent LFS objects in commits. */
export const lfsPointers = {
  maxSize: MAX_POINTER_SIZE,
  parse: parseLfsPointer,
} as const
