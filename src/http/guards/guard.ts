import type { Viewer } from '../../access/viewer.ts'

export interface GuardInput {
  readonly viewer: Viewer
  readonly params: Readonly<Record<string, string>>
}

/**
 * Who may call an operation, as data and four steps that run in this order (reference auth-and-access §1): `resolve`
 * finds the objects of the path (404 or moved), `requireOpen` refuses what nobody may do there now, `privacy` says what
 * a public-only token may not reach (403), `decide` checks role, unit and archived (403, 404, 423).
 */
export interface Guard<Access> {
  /** For the permission matrix and the documentation. */
  readonly kind: 'anyone' | 'signed-in' | 'site-admin' | 'self-or-admin' | 'user' | 'org' | 'team' | 'repo'
  readonly describe: string
  /** 401 for anonymous callers. */
  readonly needsUser: boolean
  /** That 401 comes after the look-up: what the caller may not know of is 404, as it is for everybody else. */
  readonly looksUpFirst?: boolean
  resolve(input: GuardInput): Promise<Access> | Access
  /** What is closed to everybody, and says so before it asks callers to sign in (423). */
  requireOpen?(access: Access): void
  /** The refusal of a public-only token, or undefined when the object is public. */
  privacy?(access: Access): string | undefined
  decide?(access: Access, input: GuardInput): void
  /**
   * After a failure or a conflict: throws NotFound when what `resolve` found has been deleted meanwhile, with its
   * files.
   */
  recheck?(access: Access): Promise<void>
}
