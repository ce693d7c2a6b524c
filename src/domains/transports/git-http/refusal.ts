import type { SignedIn } from '../../../core/access/viewer.ts'

/** A response outside of the git protocol; git clients show the text of some of them. */
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

/** The repository is missing for this client, whose push may create it. */
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

/** NOTE: credential managers use the realm as a key, so it is configurable and must be stable. */
export const askForLogin = (text: string, realm: string): Refusal =>
  new Refusal(401, text, {
    'cache-control': 'max-age=0, private, must-revalidate, no-transform',
    'www-authenticate': `Basic realm="${realm.replaceAll(/["\\]/g, '')}"`,
  })
