// Style sheets are imported for their effect on the page; the build collects them.
declare module '*.css';
