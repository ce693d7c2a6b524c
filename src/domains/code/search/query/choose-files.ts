import { compareTexts } from '../../../../core/platform/compare-texts.ts'
import type { Candidate } from './candidates.store.ts'

interface ChoiceLimits {
  readonly maxCandidates: number
  /** Bytes of all texts. */
  readonly maxBytes: number
}

interface Choice {
  readonly files: readonly Candidate[]
  /** There are more candidates than the limits allow. */
  readonly isCut: boolean
}

/** Orders candidates by repository and path, and omits those that exceed the limits. */
export function chooseFiles(found: readonly Candidate[], { maxCandidates, maxBytes }: ChoiceLimits): Choice {
  const ordered = found
    .slice(0, maxCandidates)
    .toSorted((a, b) => compareTexts(a.repo.fullName, b.repo.fullName) || compareTexts(a.path, b.path))
  const texts = new Set<number>()
  let bytes = 0
  const files = ordered.filter(({ textId, size }) => {
    if (texts.has(textId)) return true
    if (bytes + size > maxBytes) return false
    bytes += size
    texts.add(textId)
    return true
  })
  return { files, isCut: found.length > maxCandidates || files.length < ordered.length }
}

interface Batch {
  readonly files: readonly Candidate[]
  /** The texts of the files that earlier batches do not have. */
  readonly textIds: readonly number[]
}

interface BatchLimits {
  readonly texts: number
  /** A single text may have more. */
  readonly bytes: number
}

/** The files in parts whose texts are within the limits. */
export function* batchesOf(files: readonly Candidate[], limits: BatchLimits): Generator<Batch> {
  const seen = new Set<number>()
  let batch: { files: Candidate[]; textIds: number[] } = { files: [], textIds: [] }
  let bytes = 0
  for (const file of files) {
    const isNew = !seen.has(file.textId)
    const isFull = batch.textIds.length === limits.texts || (bytes > 0 && bytes + file.size > limits.bytes)
    if (isNew && isFull) {
      yield batch
      batch = { files: [], textIds: [] }
      bytes = 0
    }
    batch.files.push(file)
    if (!isNew) continue
    seen.add(file.textId)
    batch.textIds.push(file.textId)
    bytes += file.size
  }
  if (batch.files.length > 0) yield batch
}
