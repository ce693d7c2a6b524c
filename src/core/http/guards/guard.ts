import { isPublicOnly, type Viewer } from '../../access/viewer.ts'
import { engineErrors, forbidden } from '../../platform/errors.ts'

export interface GuardInput {
  readonly viewer: Viewer
  /** Path parameters as texts, decoded. */
  readonly params: Readonly<Record<string, string>>
}

/** The checks that follow when an object is found, in the order in which they run. */
interface Checks<Access> {
  /** Refuses objects that are closed to all callers, before sign-in is required (423). */
  requireOpen?(access: Access): void
  /** The refusal of a public-only token, or undefined when the object is public. */
  privacy?(access: Access): string | undefined
  decide?(access: Access, input: GuardInput): void
  /**
   * After a failure or a conflict: throws NotFound if the result of `resolve` has been deleted in the meantime, with
   * its files.
   */
  recheck?(access: Access): Promise<void>
}

/**
 * Who may call an operation, as data and four steps that run in this order
 * (behaviour/auth-and-access#request-pipeline): `resolve` finds the objects of the path (404 or moved), `requireOpen`
 * refuses changes that no caller may make there now, `privacy` refuses objects that a public-only token may not access
 * (403), `decide` checks role, unit and archived (403, 404, 423).
 */
export interface Guard<Access> extends Checks<Access> {
  /** The kind of the guard in the permission matrix and the documentation. */
  readonly kind: 'anyone' | 'signed-in' | 'site-admin' | 'self-or-admin' | 'user' | 'org' | 'team' | 'repo'
  readonly describe: string
  /** 401 for anonymous callers. */
  readonly needsUser: boolean
  /** The 401 comes after the look-up: hidden objects are answered with 404, as for other callers. */
  readonly hideBeforeAuth?: boolean
  resolve(input: GuardInput): Promise<Access> | Access
  /** Guards of objects inside of the one that `resolve` finds; added by `nested`. */
  readonly inner?: readonly InnerGuard<never, object>[]
}

/** A guard of an object inside of another one, such as an issue of a repository. */
export interface InnerGuard<Outer extends object, Inner extends object> extends Checks<Outer & Inner> {
  /** Describes who may call an operation with both guards; the outer guard's text if absent. */
  readonly describe?: string
  /** Finds the object. The caller has passed every check of the outer guard. */
  resolve(access: Outer, input: GuardInput): Promise<Inner> | Inner
}

/**
 * A guard that finds a further object once the caller has passed every check of `outer`, and then runs the inner
 * object's own checks in the same order. The access of the handler has the members of both; kind, sign-in and
 * `hideBeforeAuth` are those of `outer`.
 */
export function nested<Outer extends object, Inner extends object>(
  outer: Guard<Outer>,
  inner: InnerGuard<Outer, Inner>,
): Guard<Outer & Inner> {
  const combined: Guard<Outer> = {
    ...outer,
    describe: inner.describe ?? outer.describe,
    inner: [...(outer.inner ?? []), inner as InnerGuard<never, object>],
  }
  // NOTE: only `runGuard` and `recheckGuard` may run such a guard: they add the members of the inner object.
  return combined as unknown as Guard<Outer & Inner>
}

/** Runs every check of a guard in the fixed order and returns the access. */
export async function runGuard<Access>(guard: Guard<Access>, input: GuardInput): Promise<Access> {
  const mustSignIn = guard.needsUser && input.viewer.kind === 'anonymous'
  if (mustSignIn && !guard.hideBeforeAuth) throw engineErrors.tokenRequired()
  let access = await guard.resolve(input)
  guard.requireOpen?.(access)
  if (mustSignIn) throw engineErrors.tokenRequired()
  requireRights(guard, access, input)
  for (const inner of innerGuards<Access>(guard)) {
    access = { ...access, ...(await inner.resolve(access as Access & object, input)) }
    inner.requireOpen?.(access)
    requireRights(inner, access, input)
  }
  return access
}

function requireRights<Access>(checks: Checks<Access>, access: Access, input: GuardInput): void {
  if (checks.privacy && isPublicOnly(input.viewer)) {
    const refusal = checks.privacy(access)
    if (refusal !== undefined) throw forbidden(refusal)
  }
  checks.decide?.(access, input)
}

/** Throws NotFound if one of the objects that a guard found has been deleted since. */
export async function recheckGuard<Access>(guard: Guard<Access>, access: Access): Promise<void> {
  await guard.recheck?.(access)
  for (const inner of innerGuards<Access>(guard)) await inner.recheck?.(access)
}

type AnyInner<Access> = InnerGuard<Access & object, object> & Checks<Access>

const innerGuards = <Access>({ inner = [] }: Guard<Access>): readonly AnyInner<Access>[] =>
  inner as unknown as readonly AnyInner<Access>[]
