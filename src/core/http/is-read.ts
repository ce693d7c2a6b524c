/** Whether requests of this method change nothing and have no body that is read. */
export const isRead = ({ method }: { readonly method: string }): boolean => method === 'GET' || method === 'HEAD'
