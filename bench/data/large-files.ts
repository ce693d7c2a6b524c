/** Directory of more than 1,000 files at full scale. */
export const WIDE = 'tests'

const FULL = { root: 400, wide: 1_300, documents: 900, deep: 200, areas: 2_200 }
const DEPTH = 12
/** The shape of the tree is full at this scale already: a small run has a shorter history, not a smaller tree. */
const FULL_SHAPE = 0.1

/** Files of the first commit: a root with many entries, two wide directories, a deep one, and a hundred small ones. */
export function listFileNames(scale: number): string[] {
  const of = (full: number): number => Math.max(2, Math.round(full * Math.min(1, scale / FULL_SHAPE)))
  const name = (i: number): string => String(i).padStart(4, '0')
  const list = (count: number, make: (i: number) => string): string[] =>
    Array.from({ length: of(count) }, (_, i) => make(i))
  const deepest = Array.from({ length: DEPTH }, (_, i) => `level-${i + 1}`).join('/')
  return [
    ...list(FULL.root, (i) => `root-${name(i)}.c`),
    ...list(FULL.wide, (i) => `${WIDE}/t${name(i)}-case.sh`),
    ...list(FULL.documents, (i) => `Documentation/page-${name(i)}.txt`),
    ...list(FULL.deep, (i) => `deep/${deepest}/file-${name(i)}.h`),
    ...list(FULL.areas, (i) => `area-${i % 10}/part-${Math.floor(i / 10) % 10}/file-${name(Math.floor(i / 100))}.txt`),
  ]
}

const MB = 1 << 20

/** Bytes of the i-th file in the first commit: small ones, some of 200 KB, few of 1 MB, one of 5 MB. */
export function fileSize(i: number): number {
  if (i === 100) return 5 * MB
  if (i % 1_000 === 500) return MB
  if (i % 250 === 125) return 200_000
  return 300 + ((i * 7_919) % 3_000)
}
