import { readFileSync } from 'node:fs'
import { UsageError } from './command.ts'

/** Reads a text file without the line end that editors add. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${(error as Error).message}`)
  }
}
