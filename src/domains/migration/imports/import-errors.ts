import { RemoteError } from '../../../core/git/index.ts'
import { conflict, engineErrors, invalid } from '../../../core/platform/errors.ts'
import { isOutOfSpace } from '../../../core/platform/files/out-of-space.ts'
import { isOutgoingError } from '../../../core/platform/outgoing/index.ts'
import { errors } from '../../errors.ts'
import { repoCreation } from '../../repositories/index.ts'
import { ForgeError } from './forge-error.ts'
import type { ImportDeps } from './new-import.ts'

/** Somebody canceled the import. */
export class ImportCanceledError extends Error {
  constructor() {
    super('the import was canceled')
    this.name = 'ImportCanceledError'
  }
}

/** Another process continues the import, because this one was not heard of for a while. */
export class ImportTakenOverError extends Error {
  constructor() {
    super('another process continues the import')
    this.name = 'ImportTakenOverError'
  }
}

/** Turns failures of the remote into errors for the caller; returns other errors unchanged. */
export function toDomainError({ database }: Pick<ImportDeps, 'database'>, error: unknown): unknown {
  if (database.dialect.isUniqueViolation(error)) return repoCreation.nameConflict()
  if (isOutOfSpace(error)) return engineErrors.outOfSpace()
  if (error instanceof ImportCanceledError) return conflict(error.message)
  if (isOutgoingError(error, 'refused')) return errors.importHostForbidden(error.message)
  if (isOutgoingError(error)) return errors.importFailed(error.message)
  if (!(error instanceof RemoteError) && !(error instanceof ForgeError)) return error
  if (error.kind === 'auth' || error.kind === 'missing') return errors.importAuthFailed(error.message)
  if (error.kind === 'busy') return invalid('Remote visit addressed rate limitation.')
  if (error.kind === 'two-factor') return invalid('Remote visit required two factors authentication.')
  return errors.importFailed(error.message)
}
