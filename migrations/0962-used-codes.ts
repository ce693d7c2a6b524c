import { addColumn, type Schema } from './_helpers.ts'

/** What was issued from an authorization code, so that it ends when the code is sent again (RFC 6819 section 4.4.1.1). */
export async function addCodeChains(schema: Schema): Promise<void> {
  await addColumn(schema, 'oauth_code', { name: 'chain_id', type: 'number', initial: 0 })
}
