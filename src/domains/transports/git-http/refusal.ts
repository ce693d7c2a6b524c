import type { SignedIn } from '../../../core/access/viewer.ts'

/** An answer outside of the git protocol: git clients show the text of some of them. */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(text)
    this.name = 'Refusal'
    this.status = status
    this.headers = headers
  }
}

/** The repository is missing for this caller, whose push may make it. */
export class MissingForPush extends Refusal {
  readonly viewer: SignedIn
  readonly owner: string
  readonly repo: string

  constructor(
    text: string,
    { viewer, owner, repo }: { readonly viewer: SignedIn; readonly owner: string; readonly repo: string },
  ) {
    super(404, text)
    this.viewer = viewer
    this.owner = owner
    this.repo = repo
  }
}

/** NOTE: credential managers key on the realm, so it is a setting and not a matter of taste. */
export const askForLogin = (text: string, realm: string): Refusal =>
  new Refusal(401, text, {
    'cache-control': 'max-age=0, private, must-revalidate, no-transform',
    'www-authenticate': `Basic realm="${realm.replaceAll(/["\\]/g, '')}"`,
  })
