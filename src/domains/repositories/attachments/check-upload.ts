import { badRequest, DomainError, invalid, notFound } from '../../../core/platform/errors.ts'
import { sniffMediaType } from '../../../core/platform/http/media-type.ts'
import { isAllowedUpload, isSafeFileName, type UploadRules } from './upload-rules.policy.ts'

/** Kind of error for a forbidden type: releases and issues differ. */
type TypeRefusal = 'bad-request' | 'invalid'

export interface UploadChecks {
  readonly rules: UploadRules
  readonly refusal: TypeRefusal
}

const FORBIDDEN_TYPE = 'This file cannot be uploaded or modified due to a forbidden file extension or type.'

/** Throws NotFound if uploads are disabled, BadRequest for a name that is not allowed. */
export function requireUpload({ rules }: Pick<UploadChecks, 'rules'>, name: string): void {
  if (!rules.enabled) throw notFound('attachments are not enabled')
  if (!isSafeFileName(name))
    throw badRequest(
      name === '' ? 'Could not determine name of attachment.' : 'the name of the attachment is not allowed',
    )
}

/** Throws Invalid for a new name that is not allowed. */
export function requireNewName(rules: UploadRules, name: string): void {
  if (!isSafeFileName(name)) throw invalid('the name of the attachment is not allowed')
  if (!isAllowedUpload(rules, name, undefined)) throw invalid(FORBIDDEN_TYPE)
}

/** Yields the bytes of an upload after checking the type that the first chunk shows. Throws `refusal`. */
export async function* checkedBytes(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: string,
  { rules, refusal }: UploadChecks,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isFirst = true
  for await (const chunk of source) {
    if (isFirst) requireType(Buffer.from(chunk))
    isFirst = false
    yield chunk
  }
  if (isFirst) requireType(Buffer.alloc(0))

  function requireType(head: Buffer): void {
    // COMPAT: for files of at most one byte only the name is checked (behaviour/issues#attachments;
    // test/code/releases/assets.test.ts).
    if (!isAllowedUpload(rules, name, head.length > 1 ? sniffMediaType(head) : undefined))
      throw new DomainError(refusal, FORBIDDEN_TYPE)
  }
}
