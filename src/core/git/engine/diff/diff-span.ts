import { GitError } from '../../errors.ts'
import { isOid, type ObjectFormat } from '../object/format.ts'

/** The commits of a diff: those of a pull request are its merge base and its head. */
export interface DiffSpan {
  readonly base: string
  readonly head: string
}

export type DiffSide = 'old' | 'new'

/** Lines of a file, numbered from 1, both ends included. */
export interface LineRange {
  readonly first: number
  readonly last: number
}

/** Lines of one file of a commit. */
export interface FileLines extends LineRange {
  readonly path: string
}

/**
 * Lines on one side of a diff. The path is the file's name in the head; a file that the head lacks keeps its old one.
 */
export interface DiffRange extends FileLines {
  readonly side: DiffSide
}

/** A line on one side of a diff; the path is as in `DiffRange`. */
export interface DiffLine {
  readonly path: string
  readonly side: DiffSide
  readonly line: number
}

/** Throws GitError `invalid` when one of the ids is not a full one of the format. */
export function requireSpans(format: ObjectFormat, ...spans: readonly DiffSpan[]): void {
  for (const oid of spans.flatMap(({ base, head }) => [base, head]))
    if (!isOid(oid, format)) throw new GitError('invalid', `bad object id: ${oid.slice(0, 80)}`)
}
