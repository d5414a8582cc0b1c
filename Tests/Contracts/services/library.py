"""A service made with FastAPI, which publishes its document (OpenAPI 3.1) at /openapi.json."""

import datetime
import enum
import uuid
from typing import Annotated, Literal

from fastapi import Cookie, Depends, FastAPI, File, Form, Header, HTTPException, Path, Query, Response, UploadFile
from fastapi.responses import PlainTextResponse
from fastapi.security import APIKeyHeader, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field, HttpUrl

app = FastAPI(title="Library")
bearer, key = HTTPBearer(), APIKeyHeader(name="X-Api-Key")


class Genre(str, enum.Enum):
    novel = "novel"
    essay = "essay"
    poem = "poem"


class Author(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str = Field(min_length=1)
    born: datetime.date | None = None


class NewBook(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str = Field(min_length=1, max_length=80)
    genre: Genre
    pages: int = Field(gt=0, le=5000)
    author: Author
    tags: list[str] = []


class Book(NewBook):
    id: int
    code: uuid.UUID
    added: datetime.datetime
    price: float | None
    link: HttpUrl


class Problem(BaseModel):
    detail: str


class Loan(BaseModel):
    kind: Literal["loan"] = "loan"
    due: datetime.date


class Sale(BaseModel):
    kind: Literal["sale"] = "sale"
    price: float = Field(ge=0)


def book(number, given=None):
    given = given or NewBook(title="Emma", genre=Genre.novel, pages=474, author=Author(name="Jane Austen", born="1775-12-16"))
    added = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
    code = uuid.UUID("6f1a1c1e-58d5-4a52-9d9c-1d0a8f7f4c11")
    return Book(id=number, code=code, added=added, price=None, link="https://example.com/1", **given.model_dump())


MISSING = {404: {"model": Problem}}
TOTAL = {200: {"headers": {"X-Total": {"required": True, "schema": {"type": "integer", "minimum": 0}}}}}


@app.get("/books", responses=TOTAL)
def list_books(
    response: Response,
    genre: Genre | None = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    tag: Annotated[list[str], Query()] = [],
    x_trace: Annotated[uuid.UUID | None, Header()] = None,
) -> list[Book]:
    response.headers["X-Total"] = "2"
    return [book(1), book(2)]


@app.post("/books", status_code=201, dependencies=[Depends(bearer)])
def create_book(new: NewBook, response: Response) -> Book:
    return book(3, new)


@app.get("/books/{number}", responses=MISSING)
def get_book(number: Annotated[int, Path(ge=1)]) -> Book:
    if number > 3:
        raise HTTPException(404, "There is no such book.")
    return book(number)


@app.patch("/books/{number}", responses=MISSING, dependencies=[Depends(key)])
def change_book(number: int, pages: Annotated[int, Query(gt=0)]) -> Book:
    return book(number).model_copy(update={"pages": pages})


@app.delete("/books/{number}", status_code=204, dependencies=[Depends(key)])
def delete_book(number: int) -> None:
    return None


@app.put("/books/{number}/cover")
def put_cover(number: int, file: Annotated[UploadFile, File()], caption: Annotated[str, Form()] = "") -> dict[str, int]:
    return {"bytes": len(file.file.read()), "caption": len(caption)}


@app.post("/login")
def login(user: Annotated[str, Form(min_length=2)], password: Annotated[str, Form()]) -> dict[Literal["token"], str]:
    return {"token": f"{user}-t0ken"}


@app.get("/account")
def get_account(session: Annotated[str, Cookie()], x_lang: Annotated[Literal["en", "de"], Header()] = "en") -> Author:
    return Author(name=session, born=None)


@app.get("/export", response_class=PlainTextResponse, responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}})
def export(since: datetime.date) -> PlainTextResponse:
    return PlainTextResponse("id,title\n1,Emma\n", media_type="text/csv")


@app.get("/history/{day}")
def get_history(day: datetime.date) -> list[Annotated[Loan | Sale, Field(discriminator="kind")]]:
    return [Loan(due=day), Sale(price=9.5)]
