/** A browser that is signed in to the pages; the API never looks here. */
export interface WebSessionTable {
  /** SHA-256 in hex of the value of the cookie, 256 random bits. */
  token_hash: string
  user_id: number
  created_at: number
  expires_at: number
}

declare module '../../../../core/db/schema.ts' {
  interface Schema {
    web_session: WebSessionTable
  }
}
