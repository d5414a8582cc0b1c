"""A service made with APIFlask, which publishes its document (OpenAPI 3.0) at /openapi.json."""

import datetime

from apiflask import APIFlask, HTTPTokenAuth, Schema, abort
from apiflask.fields import UUID, Date, DateTime, Email, File, Float, Integer, List, Nested, String
from apiflask.validators import Length, OneOf, Range
from flask import Response

app = APIFlask("tickets", title="Tickets", version="1.0")
app.config["OPENAPI_VERSION"] = "3.0.3"
app.config["VALIDATION_ERROR_STATUS_CODE"] = 422
bearer = HTTPTokenAuth("Bearer", security_scheme_name="bearer")
key = HTTPTokenAuth(scheme="apiKey", header="X-Api-Key", security_scheme_name="key")
bearer.verify_token(lambda token: token)
key.verify_token(lambda token: token)


class Person(Schema):
    name = String(required=True, validate=Length(min=1))
    email = Email(allow_none=True)


class TicketIn(Schema):
    title = String(required=True, validate=Length(min=1, max=80))
    state = String(required=True, validate=OneOf(["open", "closed"]))
    priority = Integer(validate=Range(min=1, max=5))
    reporter = Nested(Person, required=True)
    labels = List(String(), validate=Length(max=5))


class TicketOut(TicketIn):
    id = Integer(required=True)
    code = UUID(required=True)
    made = DateTime(required=True)
    due = Date(required=True, allow_none=True)
    hours = Float(required=True, validate=Range(min=0))


class PageOut(Schema):
    tickets = List(Nested(TicketOut), required=True)
    next = Integer(required=True, allow_none=True)


def ticket(number, **given):
    person = {"name": "Jane", "email": None}
    fixed = {"id": number, "code": "6f1a1c1e-58d5-4a52-9d9c-1d0a8f7f4c11", "due": None, "hours": 1.5}
    made = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
    return {"title": "Leak", "state": "open", "priority": 2, "reporter": person, "labels": ["a"], "made": made} | fixed | given


@app.get("/tickets")
@app.input({"state": String(validate=OneOf(["open", "closed"])), "page": Integer(load_default=1), "since": Date()}, location="query")
@app.input({"X-Trace": UUID(required=True)}, location="headers")
@app.output(PageOut, headers={"X-Total": Integer(required=True)})
@app.doc(operation_id="listTickets")
def list_tickets(query_data, headers_data):
    return {"tickets": [ticket(1), ticket(2)], "next": None}, {"X-Total": 2}


@app.post("/tickets")
@app.input(TicketIn)
@app.output(TicketOut, status_code=201)
@app.auth_required(bearer)
@app.doc(operation_id="createTicket")
def create_ticket(json_data):
    return ticket(3, **json_data)


@app.get("/tickets/<int:number>")
@app.output(TicketOut)
@app.doc(operation_id="getTicket", responses=[404])
def get_ticket(number):
    if number > 3:
        abort(404, "There is no such ticket.")
    return ticket(number)


@app.patch("/tickets/<int:number>")
@app.input(TicketIn(partial=True))
@app.output(TicketOut)
@app.auth_required(key)
@app.doc(operation_id="changeTicket")
def change_ticket(number, json_data):
    return ticket(number, **json_data)


@app.delete("/tickets/<int:number>")
@app.output({}, status_code=204)
@app.auth_required(key)
def delete_ticket(number):
    return ""


@app.post("/tickets/<int:number>/files")
@app.input({"file": File(required=True), "caption": String()}, location="form_and_files", schema_name="Attachment")
@app.output({"bytes": Integer(required=True), "caption": String(required=True, allow_none=True)}, status_code=201, schema_name="Stored")
@app.doc(operation_id="attach")
def attach(number, form_and_files_data):
    return {"bytes": len(form_and_files_data["file"].read()), "caption": form_and_files_data.get("caption")}


@app.post("/login")
@app.input({"user": String(required=True), "password": String(required=True)}, location="form", schema_name="Login")
@app.output({"token": String(required=True), "expires": Integer(required=True)}, schema_name="Token")
@app.doc(operation_id="login")
def login(form_data):
    return {"token": f"{form_data['user']}-t0ken", "expires": 3600}


@app.get("/account")
@app.input({"session": String(required=True)}, location="cookies")
@app.output(Person)
@app.doc(operation_id="getAccount")
def get_account(cookies_data):
    return {"name": cookies_data["session"], "email": "a@example.com"}


@app.get("/export")
@app.doc(operation_id="export", responses={200: {"description": "All.", "content": {"text/csv": {"schema": {"type": "string"}}}}})
def export():
    return Response("id,title\n1,Leak\n", mimetype="text/csv")


@app.get("/days/<day>")
@app.output(PageOut)
@app.doc(operation_id="getDay")
def get_day(day):
    return {"tickets": [], "next": 2}
