import { createPauses } from '../../../../core/platform/concurrency/pauses.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import type { ChangeFilesOptions } from '../read/contents.model.ts'
import { decodeBase64 } from './base64.ts'
import type { FileOperation, FileOperationKind } from './file-operations.ts'

/** Files in one request: one commit of a person has fewer, and the answer describes each. */
const MAX_FILES = 1000

/**
 * The operations of a request, with their contents decoded. Throws Invalid for more than 1,000 files and for a content
 * that is not base64.
 */
export async function readOperations(files: ChangeFilesOptions['files']): Promise<FileOperation[]> {
  if (files.length > MAX_FILES) throw invalid(`[Files]: MaxSize: at most ${MAX_FILES} files in one request`)
  const pause = createPauses()
  const operations: FileOperation[] = []
  for (const file of files) {
    operations.push({
      kind: file.operation as FileOperationKind,
      path: file.path,
      fromPath: file.from_path || undefined,
      sha: file.sha,
      content: decodeBase64(file.content ?? ''),
    })
    await pause()
  }
  return operations
}
