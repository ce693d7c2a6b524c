/** What a Git LFS pointer file stands for. */
export interface LfsPointer {
  /** SHA-256, hex. */
  readonly oid: string
  /** Bytes. */
  readonly size: number
}

/** Larger files are no pointers (git-lfs specification). */
export const MAX_POINTER_SIZE = 1024

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-\d-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n/

/** As git-lfs writes it. */
export const pointerText = ({ oid, size }: LfsPointer): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`

export function parseLfsPointer(content: Buffer): LfsPointer | undefined {
  if (content.length > MAX_POINTER_SIZE || content[0] !== 0x76) return undefined
  const match = POINTER.exec(content.toString('latin1'))
  return match ? { oid: match[1]!, size: Number(match[2]) } : undefined
}

/** The files that stand for objects of LFS in commits. */
export const lfsPointers = {
  maxSize: MAX_POINTER_SIZE,
  parse: parseLfsPointer,
} as const
