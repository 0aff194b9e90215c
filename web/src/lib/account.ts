// How a page opens the account of the person who is signed in.

export const account = Symbol('account');
export type Account = () => void;

/** Who is signed in at a page of the staff: a function that answers with the session. */
export const signedIn = Symbol('signed in');
