/** Swagger UI, which `/docs` loads as a script of its own. */
declare function SwaggerUIBundle(options: object): any;
