/** An answer of the git door that is not the protocol's: git clients show the text of some of them. */
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

/** NOTE: credential managers key on the realm, so it is a setting and not a matter of taste. */
export const askForLogin = (text: string, realm: string): Refusal =>
  new Refusal(401, text, {
    'cache-control': 'max-age=0, private, must-revalidate, no-transform',
    'www-authenticate': `Basic realm="${realm.replaceAll(/["\\]/g, '')}"`,
  })
